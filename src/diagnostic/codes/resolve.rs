//! Codes of resolving and planning: names, duplicates, cycles, axes.

codes! { RESOLVE:
    UNKNOWN_NAME = "E0201", "unknown name",
        "The statement refers to something that the suite does not declare.",
        wrong "engine innodb { storage InnoDB }\ncompare engine against inodb",
        right "engine innodb { storage InnoDB }\ncompare engine against innodb";
}
