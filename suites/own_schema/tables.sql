-- A shop: what users have and benchmarks seldom have. Engines, a foreign key, full text, partitions.
CREATE TABLE customers (
  id INT NOT NULL AUTO_INCREMENT,
  email VARCHAR(60) NOT NULL,
  name VARCHAR(40) NOT NULL,
  country CHAR(2) NOT NULL,
  balance DECIMAL(12,2) NOT NULL DEFAULT 0,
  created DATETIME NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY email (email)
) ENGINE=InnoDB;

CREATE TABLE articles (
  id INT NOT NULL,
  title VARCHAR(80) NOT NULL,
  body TEXT,
  price DECIMAL(8,2) NOT NULL,
  PRIMARY KEY (id),
  FULLTEXT KEY words (title, body)
) ENGINE=InnoDB;

CREATE TABLE orders (
  id INT NOT NULL AUTO_INCREMENT,
  customer_id INT NOT NULL,
  state VARCHAR(10) NOT NULL,
  total DECIMAL(12,2) NOT NULL DEFAULT 0,
  placed DATETIME NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT fk_customer FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE=InnoDB;

-- Partitioned by order, so that old orders can be dropped together.
CREATE TABLE order_lines (
  order_id INT NOT NULL,
  line INT NOT NULL,
  article_id INT NOT NULL,
  quantity INT NOT NULL,
  PRIMARY KEY (order_id, line),
  KEY article (article_id)
) ENGINE=InnoDB
PARTITION BY HASH (order_id) PARTITIONS 4;
