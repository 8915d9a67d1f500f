-- Merrin Halvorsen, telephone desk. A matter is a client's case; an intake is a caller's who may become a client.

CREATE TABLE staff (
  staff_id   TEXT PRIMARY KEY,
  full_name  TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('lawyer', 'paralegal', 'billing', 'records')),
  away_until TEXT,
  covered_by TEXT REFERENCES staff
);

-- What may be told to the client is in `told`; `phone_code` is the one from the welcome letter.
CREATE TABLE matters (
  matter_number TEXT PRIMARY KEY,
  area          TEXT NOT NULL,
  state         TEXT NOT NULL,
  lawyer        TEXT NOT NULL REFERENCES staff,
  paralegal     TEXT NOT NULL REFERENCES staff,
  phone_code    TEXT NOT NULL,
  told          TEXT NOT NULL
);

-- A contact is somebody whom the client has named in writing: for dates and messages, and for nothing else.
CREATE TABLE matter_people (
  matter_number TEXT NOT NULL REFERENCES matters,
  full_name     TEXT NOT NULL,
  date_of_birth TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('client', 'contact')),
  PRIMARY KEY (matter_number, date_of_birth)
);

-- Everybody whose name can stand in our way: clients of now and before, and those on the other side of a matter.
CREATE TABLE parties (
  party_id      INTEGER PRIMARY KEY,
  full_name     TEXT NOT NULL,
  former_name   TEXT,
  town          TEXT NOT NULL,
  side          TEXT NOT NULL CHECK (side IN ('client', 'former_client', 'adverse')),
  matter_number TEXT REFERENCES matters
);

CREATE TABLE practice_areas (
  area       TEXT NOT NULL,
  state      TEXT NOT NULL,
  phone_fee  REAL NOT NULL,
  office_fee REAL NOT NULL,
  PRIMARY KEY (area, state)
);

-- Time from the incident to the last day on which the firm will touch a claim; years or days, never both.
CREATE TABLE limitation_rules (
  area        TEXT NOT NULL,
  state       TEXT NOT NULL,
  public_body INTEGER NOT NULL CHECK (public_body IN (0, 1)),
  years       INTEGER,
  days        INTEGER,
  PRIMARY KEY (area, state, public_body)
);

CREATE TABLE slots (
  slot_id   TEXT PRIMARY KEY,
  area      TEXT NOT NULL,
  mode      TEXT NOT NULL CHECK (mode IN ('phone', 'office')),
  starts_at TEXT NOT NULL,
  lawyer    TEXT NOT NULL REFERENCES staff
);

CREATE TABLE screenings (
  screening_id TEXT PRIMARY KEY,
  caller_name  TEXT NOT NULL,
  other_party  TEXT NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('clear'))
);

CREATE TABLE declined_matters (
  decline_id  TEXT PRIMARY KEY,
  caller_name TEXT,
  other_party TEXT,
  reason_code TEXT NOT NULL
);

CREATE TABLE intakes (
  intake_id     TEXT PRIMARY KEY,
  caller_name   TEXT NOT NULL,
  phone         TEXT NOT NULL,
  other_party   TEXT NOT NULL,
  area          TEXT NOT NULL,
  state         TEXT NOT NULL,
  incident_date TEXT,
  deadline      TEXT,
  urgent        INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  summary       TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('open', 'withdrawn'))
);

CREATE TABLE consents (
  consent_id TEXT PRIMARY KEY,
  intake_id  TEXT NOT NULL REFERENCES intakes,
  kind       TEXT NOT NULL,
  whose      TEXT NOT NULL
);

CREATE TABLE duty_pages (
  page_id       TEXT PRIMARY KEY,
  intake_id     TEXT REFERENCES intakes,
  matter_number TEXT REFERENCES matters,
  reason_code   TEXT NOT NULL,
  phone         TEXT NOT NULL
);

CREATE TABLE interpreter_requests (
  request_id TEXT PRIMARY KEY,
  intake_id  TEXT NOT NULL REFERENCES intakes,
  language   TEXT NOT NULL
);

-- A hold keeps a slot through the day it names; after that anybody may have it.
CREATE TABLE holds (
  hold_id    TEXT PRIMARY KEY,
  intake_id  TEXT NOT NULL REFERENCES intakes,
  slot_id    TEXT NOT NULL REFERENCES slots,
  expires_on TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('active', 'released', 'booked'))
);

CREATE TABLE consultations (
  consultation_id TEXT PRIMARY KEY,
  intake_id       TEXT NOT NULL REFERENCES intakes,
  slot_id         TEXT NOT NULL REFERENCES slots,
  fee             REAL NOT NULL,
  late_fee        REAL NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('booked', 'cancelled'))
);

CREATE TABLE court_dates (
  date_id       TEXT PRIMARY KEY,
  matter_number TEXT NOT NULL REFERENCES matters,
  starts_at     TEXT NOT NULL,
  place         TEXT NOT NULL,
  what          TEXT NOT NULL,
  confirmed     INTEGER NOT NULL CHECK (confirmed IN (0, 1))
);

CREATE TABLE messages (
  message_id    TEXT PRIMARY KEY,
  matter_number TEXT NOT NULL REFERENCES matters,
  recipient     TEXT NOT NULL REFERENCES staff,
  topic         TEXT NOT NULL,
  callback      TEXT NOT NULL,
  from_role     TEXT NOT NULL
);

CREATE TABLE outside_messages (
  message_id  TEXT PRIMARY KEY,
  caller_name TEXT NOT NULL,
  callback    TEXT NOT NULL,
  sender      TEXT NOT NULL
);

CREATE TABLE documents (
  matter_number TEXT NOT NULL REFERENCES matters,
  kind          TEXT NOT NULL,
  dated         TEXT NOT NULL,
  kept_back     TEXT,
  PRIMARY KEY (matter_number, kind)
);

CREATE TABLE document_requests (
  request_id    TEXT PRIMARY KEY,
  matter_number TEXT NOT NULL REFERENCES matters,
  kind          TEXT NOT NULL,
  channel       TEXT NOT NULL
);

CREATE TABLE invoices (
  invoice_number TEXT PRIMARY KEY,
  matter_number  TEXT NOT NULL REFERENCES matters,
  issued_on      TEXT NOT NULL,
  due_on         TEXT NOT NULL,
  balance        REAL NOT NULL
);

CREATE TABLE installment_plans (
  plan_id        TEXT PRIMARY KEY,
  invoice_number TEXT NOT NULL REFERENCES invoices,
  months         INTEGER NOT NULL,
  monthly        REAL NOT NULL
);

CREATE TABLE contact_rules (
  matter_number TEXT NOT NULL REFERENCES matters,
  rule          TEXT NOT NULL,
  PRIMARY KEY (matter_number, rule)
);

CREATE TABLE disclosures (
  disclosure_id TEXT PRIMARY KEY,
  kind          TEXT NOT NULL
);

CREATE TABLE refused_requests (
  refusal_id    TEXT PRIMARY KEY,
  matter_number TEXT REFERENCES matters,
  kind          TEXT NOT NULL
);

CREATE TABLE safety_advice (
  advice_id TEXT PRIMARY KEY,
  hazard    TEXT NOT NULL
);

CREATE TABLE escalations (
  escalation_id TEXT PRIMARY KEY,
  matter_number TEXT REFERENCES matters,
  reason_code   TEXT NOT NULL,
  summary       TEXT NOT NULL
);
