CREATE TABLE loans (loan_id TEXT PRIMARY KEY, borrower TEXT NOT NULL, due TEXT NOT NULL, fee REAL NOT NULL);
CREATE TABLE requests (request_id TEXT PRIMARY KEY, loan_id TEXT NOT NULL REFERENCES loans, reason TEXT, made_at TEXT);
CREATE TABLE branches (name TEXT PRIMARY KEY);
