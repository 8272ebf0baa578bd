use super::*;
use rusqlite::Connection;

fn owned(statements: &[&str]) -> Vec<String> {
    statements.iter().map(|sql| (*sql).to_string()).collect()
}

const HISTORY: &str = "CREATE TABLE history (h_c_id INT, h_date DATETIME, \
                       h_amount DECIMAL(6,2), h_data VARCHAR(24)) ENGINE=InnoDB";
const STOCK: &str = "create table if not exists `stock` (\n  \
     s_i_id int(11) unsigned NOT NULL AUTO_INCREMENT, -- the item\n  \
     s_w_id smallint not null,\n  \
     s_quantity smallint DEFAULT '-3',\n  \
     s_price decimal(5,2) default 1.50,\n  \
     s_data varchar(50) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'it''s',\n  \
     s_note text,\n  \
     PRIMARY KEY USING BTREE (s_w_id, s_i_id),\n  \
     UNIQUE KEY by_item (s_i_id),\n  \
     KEY by_data (s_data(10), s_quantity DESC)\n\
     ) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci COMMENT='x;y'";

#[test]
fn types_defaults_keys_and_collations_become_sqlites() {
    let stock = STOCK.replace(" AUTO_INCREMENT", "");
    let schema = translate(&[stock], &[], &[], None).unwrap();
    assert_eq!(
        schema.tables,
        [
            "CREATE TABLE `stock` (\n  \
             `s_i_id` INTEGER NOT NULL,\n  \
             `s_w_id` INTEGER NOT NULL,\n  \
             `s_quantity` INTEGER DEFAULT -3,\n  \
             `s_price` INTEGER DEFAULT 150,\n  \
             `s_data` TEXT DEFAULT 'it''s',\n  \
             `s_note` TEXT COLLATE NOCASE,\n  \
             PRIMARY KEY (`s_w_id`, `s_i_id`)\n\
             ) STRICT",
            "CREATE UNIQUE INDEX `by_item` ON `stock` (`s_i_id`)",
            "CREATE INDEX `by_data` ON `stock` (`s_data`, `s_quantity` DESC)",
        ]
    );
    assert_eq!(schema.notes, ["stock: the index on a prefix of `s_data` holds the whole column"]);
}

#[test]
fn a_table_without_primary_key_stays_rowid() {
    let stock = "CREATE TABLE stock (s_id INT NOT NULL, PRIMARY KEY (s_id))";
    let schema = translate(&owned(&[stock, HISTORY]), &[], &[], Some("without_rowid")).unwrap();
    assert!(schema.tables[0].ends_with(") STRICT, WITHOUT ROWID"), "{}", schema.tables[0]);
    assert!(schema.tables[1].ends_with(") STRICT"), "{}", schema.tables[1]);
    assert_eq!(schema.notes, ["history: no primary key, so it stays rowid"]);
    let formats: Vec<_> = schema.row_formats.into_iter().collect();
    assert_eq!(formats, [("history".to_string(), "ROWID"), ("stock".to_string(), "WITHOUT_ROWID")]);
    let error = translate(&[], &[], &[], Some("COMPRESSED")).unwrap_err();
    assert_eq!(error, ["SQLite has the row formats ROWID and WITHOUT_ROWID, not COMPRESSED"]);
}

#[test]
fn foreign_keys_go_into_their_table_and_bring_their_index() {
    let tables = owned(&[
        "CREATE TABLE district (d_w_id INT NOT NULL, d_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id))",
        "CREATE TABLE customer (c_id INT NOT NULL, c_w_id INT, c_d_id INT, c_x INT, \
         PRIMARY KEY (c_id))",
    ]);
    let indexes = owned(&[
        "CREATE INDEX by_x ON customer (c_x, c_id)",
        "ALTER TABLE customer ADD KEY by_x2 (c_x)",
    ]);
    let keys = owned(&["ALTER TABLE customer ADD CONSTRAINT c_d FOREIGN KEY (c_w_id, c_d_id) \
         REFERENCES district (d_w_id, d_id) ON DELETE CASCADE, \
         ADD FOREIGN KEY (c_x) REFERENCES customer (c_id)"]);
    let schema = translate(&tables, &indexes, &keys, None).unwrap();
    assert!(
        schema.tables[1].contains(
            "CONSTRAINT `c_d` FOREIGN KEY (`c_w_id`, `c_d_id`) \
             REFERENCES `district` (`d_w_id`, `d_id`) ON DELETE CASCADE"
        ),
        "{}",
        schema.tables[1]
    );
    assert_eq!(
        schema.indexes,
        [
            "CREATE INDEX `by_x` ON `customer` (`c_x`, `c_id`)",
            "CREATE INDEX `by_x2` ON `customer` (`c_x`)",
            "CREATE INDEX `c_d` ON `customer` (`c_w_id`, `c_d_id`)",
        ]
    );
    let connection = Connection::open_in_memory().unwrap();
    for sql in schema.tables.iter().chain(&schema.indexes) {
        connection.execute_batch(sql).unwrap();
    }
}

#[test]
fn keys_may_stand_in_the_line_of_their_column() {
    let table = "CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT UNIQUE)";
    let schema = translate(&owned(&[table]), &[], &[], None).unwrap();
    assert_eq!(
        schema.tables,
        [
            "CREATE TABLE `t` (\n  `id` INTEGER NOT NULL,\n  `k` INTEGER,\n  \
             PRIMARY KEY (`id`)\n) STRICT",
            "CREATE UNIQUE INDEX `k` ON `t` (`k`)",
        ]
    );
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&schema.tables.join(";")).unwrap();
    connection.execute("INSERT INTO t (k) VALUES (7), (8)", []).unwrap();
    let last: i64 = connection.query_row("SELECT MAX(id) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(last, 2, "the server's numbering is SQLite's");
}

#[test]
fn index_names_are_kept_apart() {
    let tables =
        owned(&["CREATE TABLE a (x INT, KEY k (x))", "CREATE TABLE b (x INT, KEY k (x), KEY (x))"]);
    let schema = translate(&tables, &[], &[], None).unwrap();
    assert_eq!(
        schema.tables[2..],
        [
            "CREATE INDEX `k` ON `a` (`x`)",
            "CREATE INDEX `b_k` ON `b` (`x`)",
            "CREATE INDEX `b_x` ON `b` (`x`)",
        ]
    );
}

#[test]
fn what_sqlite_cannot_have_is_refused_by_name_all_at_once() {
    let errors = translate(
        &owned(&[
            STOCK,
            "CREATE TABLE g (p POINT)",
            "CREATE TABLE f (t TEXT, FULLTEXT KEY (t))",
            "CREATE TABLE o (x INT",
            "INSERT INTO x VALUES (1)",
        ]),
        &owned(&["CREATE INDEX i ON nowhere (x)"]),
        &owned(&["ALTER TABLE f DROP COLUMN t"]),
        None,
    )
    .unwrap_err();
    assert_eq!(
        errors,
        [
            "table `g`: column `p`: SQLite has nothing like the type point",
            "table `f`: SQLite has no FULLTEXT and no SPATIAL index",
            "table `o`: expected `,`, the statement ends",
            "`INSERT INTO x VALUES ...` is no statement of a schema that SQLite can have",
            "of ALTER TABLE, SQLite is given ADD INDEX and ADD FOREIGN KEY alone",
            "table `stock`: column `s_i_id`: AUTO_INCREMENT needs rowid and a primary key of this \
             column",
            "there is no table `nowhere`",
        ]
    );
}

#[test]
fn comments_go_and_settings_are_noted() {
    let schema = translate(
        &owned(&[
            "/*!40101 SET NAMES utf8 */;",
            "DROP TABLE IF EXISTS `a`;",
            "# one\n/* two */ CREATE TABLE db.a (x INT /*!50000 NOT NULL */) \
             /*!50100 PARTITION BY HASH (x) */",
        ]),
        &[],
        &[],
        None,
    )
    .unwrap();
    assert_eq!(
        schema.tables,
        ["DROP TABLE IF EXISTS `a`", "CREATE TABLE `a` (\n  `x` INTEGER NOT NULL\n) STRICT"]
    );
    assert_eq!(
        schema.notes,
        [
            "`SET NAMES utf8` is left out: a server's own",
            "a: PARTITION BY is left out: SQLite has no partitions",
        ]
    );
}
