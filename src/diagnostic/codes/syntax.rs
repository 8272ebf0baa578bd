//! Codes of the syntax and of the shapes of statements.

codes! { SYNTAX:
    STRAY = "E0101", "a character that means nothing",
        "Outside strings a suite is made of words, numbers, `{ } ; , ( )`, comparisons and comments.",
        wrong "option sql_mode = [ANSI]",
        right "option sql_mode = \"ANSI\"";
    OPEN_STRING = "E0102", "a string that is not closed",
        "A string ends on the line on which it begins. Text over several lines is a raw string between three double quotes.",
        wrong "suite \"InnoDB against MyRocks",
        right "suite \"InnoDB against MyRocks\"";
    OPEN_RAW = "E0103", "a raw string that is not closed",
        "A raw string reaches to the next three double quotes, over any number of lines.",
        wrong "probe slow \"\"\"select 1",
        right "probe slow \"\"\"select 1\"\"\"";
    BAD_ESCAPE = "E0104", "an unknown escape",
        "In a string a backslash begins one of \\\" \\\\ \\n \\t. Raw strings have no escapes, which suits regular expressions.",
        wrong "schema { rewrite \"\\d\" to \"\" }",
        right "schema { rewrite \"\"\"\\d\"\"\" to \"\" in \"t%\" }";
    WRONG_QUOTES = "E0105", "quotes of the wrong kind",
        "Strings stand between straight double quotes.",
        wrong "suite 'nightly'",
        right "suite \"nightly\"";
    OPEN_BLOCK = "E0106", "a block that is not closed",
        "Each `{` needs its `}`. Which block lacks it is guessed from the indentation.",
        wrong "engine innodb { storage InnoDB\nrepeat 3",
        right "engine innodb { storage InnoDB }\nrepeat 3";
    LONE_BRACE = "E0107", "a `}` without its `{`",
        "A `}` closes the innermost open block; here none is open.",
        wrong "repeat 3 }",
        right "repeat 3";
    LONE_BLOCK = "E0108", "a block without its statement",
        "A block belongs to the statement in front of it, on the same line.",
        wrong "engine innodb\n{ storage InnoDB }",
        right "engine innodb { storage InnoDB }";
    NO_SEPARATOR = "E0109", "two statements without a separator",
        "Statements end with the line, with `;` or with the `}` of the block around them.",
        wrong "axis redo { small { redo 2x4GB } large { redo 2x8GB } }",
        right "axis redo { small { redo 2x4GB }; large { redo 2x8GB } }";
    LONE_COMMA = "E0110", "a comma without a value",
        "A comma stands between two values. At the end of a line it continues the statement on the next line.",
        wrong "clients 16,, 32",
        right "clients 16, 32";
    NO_NAME = "E0111", "a statement that does not begin with its name",
        "The first word decides what a statement means, so it is a bare word: no number, string or mark.",
        wrong "clients 16\n32",
        right "clients 16,\n  32";
    TOO_DEEP = "E0112", "blocks nested too deep",
        "The language needs four levels of blocks; more than 32 are refused.",
        wrong "a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } }",
        right "workload tpcc { warehouses 1 }";
    NOT_TEXT = "E0113", "not a text file",
        "A suite is UTF-8 text. A NUL byte or bytes that are no UTF-8 mean that this is another kind of file, or one in an old encoding.",
        wrong "\0",
        right "suite \"plain text\"";
    EMPTY = "E0114", "an empty suite",
        "The file holds no statement at all.",
        wrong "# nothing but a comment",
        right "workload tpcc { warehouses 1 }";
    TOO_LARGE = "E0115", "too large a file",
        "A suite file has at most 4 MB. Ranges (`1..64 double`), axes and `include` keep suites short.",
        wrong "",
        right "clients 1..64 double";
    UNKNOWN_STATEMENT = "E0120", "an unknown statement",
        "No statement of this name may stand here.",
        wrong "repaet 3",
        right "repeat 3";
    WRONG_PLACE = "E0121", "a statement in the wrong place",
        "The statement exists, but it has no meaning here.",
        wrong "engine innodb { storage InnoDB; warmup 2m }",
        right "engine innodb { storage InnoDB }\nworkload tpcc { warmup 2m }";
    WRONG_FORM = "E0122", "a statement in the wrong form",
        "A word is missing or too many. The help shows how the statement is written.",
        wrong "compare engine innodb",
        right "compare engine against innodb";
    WRONG_KIND = "E0123", "a value of the wrong kind",
        "The setting decides what kind of value it takes. Sizes and durations need their unit; strings need quotes.",
        wrong "cache 20m, 5%",
        right "cache 20MB, 5% of data";
    OUT_OF_BOUNDS = "E0124", "a value out of bounds",
        "The value is of the right kind, but too small, too large, or no whole number.",
        wrong "repeat 0",
        right "repeat 3";
    NO_BLOCK = "E0125", "a block is missing",
        "The statement needs a block in braces.",
        wrong "engine innodb",
        right "engine innodb { storage InnoDB }";
    NOT_A_BLOCK = "E0126", "a block where none belongs",
        "The statement has no block.",
        wrong "repeat 3 { }",
        right "repeat 3";
    ONE_VALUE = "E0127", "several values where one belongs",
        "Several values of this setting make no axis: every cell has the same one.",
        wrong "repeat 3, 5",
        right "repeat 5";
    TOO_MANY = "E0128", "too many values",
        "A list has at most 1000 values, ranges unrolled.",
        wrong "clients 1..5000 step 1",
        right "clients 1..64 double";
    BAD_RANGE = "E0129", "a range that is none",
        "A range has two ends of one kind, the lower one first, and says which values it takes: `double` or `step N`.",
        wrong "clients 1..64",
        right "clients 1..64 double";
    VALUE_TWICE = "E0130", "the same value twice",
        "Every value of an axis is a cell; the same one twice would be measured twice under one name. Use `repeat` to measure more often.",
        wrong "clients 32, 32",
        right "clients 32\nrepeat 2";
    UNKNOWN_VARIABLE = "E0131", "an unknown `$NAME`",
        "`let NAME values` must stand above its use.",
        wrong "let sizes 1GB\ncache $size",
        right "let sizes 1GB\ncache $sizes";
    BAD_CONDITION = "E0132", "a condition that cannot be read",
        "A condition is made of comparisons `NAME OP VALUE` with = != < <= > >=, joined by `and`, `or`, `not` and parentheses.",
        wrong "where warehouses 200",
        right "where warehouses >= 200";
    SET_TWICE = "E0133", "set twice in one place",
        "Two lines of one block set the same thing, so one of them would be without effect.",
        wrong "repeat 3\nrepeat 5",
        right "repeat 5";
}
