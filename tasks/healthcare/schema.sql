-- Marlow Ridge Clinic, telephone desk: charts, visits, plans, bills, requests and imaging.

CREATE TABLE clinicians (
  clinician  TEXT PRIMARY KEY,
  title      TEXT NOT NULL,
  office     TEXT NOT NULL,
  youngest   INTEGER NOT NULL,
  oldest     INTEGER NOT NULL,
  takes_new  INTEGER NOT NULL CHECK (takes_new IN (0, 1))
);

CREATE TABLE patients (
  patient_id    TEXT PRIMARY KEY,
  full_name     TEXT NOT NULL,
  date_of_birth TEXT NOT NULL,
  phone         TEXT NOT NULL,
  chart_number  TEXT,
  clinician     TEXT REFERENCES clinicians
);

-- Who may speak for a patient. scope: full, appointments or billing.
CREATE TABLE representatives (
  representative_id TEXT PRIMARY KEY,
  patient_id        TEXT NOT NULL REFERENCES patients,
  full_name         TEXT NOT NULL,
  relation          TEXT NOT NULL,
  scope             TEXT NOT NULL CHECK (scope IN ('full', 'appointments', 'billing')),
  active            INTEGER NOT NULL CHECK (active IN (0, 1))
);

-- late_days: a visit cancelled or moved that few days before, or fewer, costs the late fee.
CREATE TABLE visit_types (
  visit_type TEXT PRIMARY KEY,
  spoken     TEXT NOT NULL,
  late_days  INTEGER NOT NULL,
  late_fee   REAL NOT NULL,
  self_pay   REAL NOT NULL
);

-- Who sees whom for what; a pair that is not here is not done.
CREATE TABLE visit_rules (
  visit_type TEXT NOT NULL REFERENCES visit_types,
  clinician  TEXT NOT NULL REFERENCES clinicians,
  PRIMARY KEY (visit_type, clinician)
);

-- Procedures have slots of their own.
CREATE TABLE visit_slots (
  slot_id   TEXT PRIMARY KEY,
  clinician TEXT NOT NULL REFERENCES clinicians,
  office    TEXT NOT NULL,
  starts_at TEXT NOT NULL,
  purpose   TEXT NOT NULL CHECK (purpose IN ('visit', 'procedure'))
);

CREATE TABLE visits (
  visit_id   TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  visit_type TEXT NOT NULL REFERENCES visit_types,
  slot_id    TEXT NOT NULL REFERENCES visit_slots,
  reason     TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('booked', 'cancelled')),
  arranged_by TEXT NOT NULL
);

CREATE TABLE waiting_list (
  entry_id   TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  visit_type TEXT NOT NULL REFERENCES visit_types,
  clinician  TEXT NOT NULL REFERENCES clinicians
);

CREATE TABLE plans (
  plan   TEXT PRIMARY KEY,
  spoken TEXT NOT NULL
);

CREATE TABLE plan_offices (
  plan   TEXT NOT NULL REFERENCES plans,
  office TEXT NOT NULL,
  PRIMARY KEY (plan, office)
);

CREATE TABLE copays (
  plan    TEXT NOT NULL REFERENCES plans,
  service TEXT NOT NULL,
  copay   REAL NOT NULL,
  PRIMARY KEY (plan, service)
);

CREATE TABLE patient_plans (
  patient_id TEXT PRIMARY KEY REFERENCES patients,
  plan       TEXT NOT NULL REFERENCES plans,
  member_id  TEXT NOT NULL,
  ends_on    TEXT
);

CREATE TABLE self_pay_agreements (
  agreement_id TEXT PRIMARY KEY,
  patient_id   TEXT NOT NULL REFERENCES patients,
  visit_id     TEXT NOT NULL REFERENCES visits,
  price        REAL NOT NULL
);

CREATE TABLE statements (
  statement_number TEXT PRIMARY KEY,
  patient_id       TEXT NOT NULL REFERENCES patients,
  issued_on        TEXT NOT NULL,
  plan_paid        REAL NOT NULL,
  balance          REAL NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('open', 'paid'))
);

CREATE TABLE statement_lines (
  statement_number TEXT NOT NULL REFERENCES statements,
  line             INTEGER NOT NULL,
  words            TEXT NOT NULL,
  amount           REAL NOT NULL,
  PRIMARY KEY (statement_number, line)
);

-- What late cancellations have cost.
CREATE TABLE late_fees (
  fee_id     TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  visit_id   TEXT NOT NULL REFERENCES visits,
  amount     REAL NOT NULL
);

CREATE TABLE payment_links (
  link_id          TEXT PRIMARY KEY,
  patient_id       TEXT NOT NULL REFERENCES patients,
  statement_number TEXT NOT NULL REFERENCES statements,
  amount           REAL NOT NULL,
  channel          TEXT NOT NULL CHECK (channel IN ('text', 'email'))
);

CREATE TABLE payment_plans (
  payment_plan_id  TEXT PRIMARY KEY,
  patient_id       TEXT NOT NULL REFERENCES patients,
  statement_number TEXT NOT NULL REFERENCES statements,
  months           INTEGER NOT NULL,
  monthly          REAL NOT NULL
);

CREATE TABLE waiver_requests (
  request_id TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  fee_id     TEXT NOT NULL REFERENCES late_fees,
  reason     TEXT NOT NULL,
  status     TEXT NOT NULL
);

CREATE TABLE charge_disputes (
  dispute_id       TEXT PRIMARY KEY,
  patient_id       TEXT NOT NULL REFERENCES patients,
  statement_number TEXT NOT NULL REFERENCES statements,
  reason           TEXT NOT NULL
);

CREATE TABLE lab_tests (
  test_id    TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  spoken     TEXT NOT NULL,
  taken_on   TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('in_lab', 'waiting_for_review', 'released', 'to_be_discussed'))
);

CREATE TABLE medicines (
  patient_id  TEXT NOT NULL REFERENCES patients,
  medicine    TEXT NOT NULL,
  filled_on   TEXT NOT NULL,
  days_supply INTEGER NOT NULL,
  controlled  INTEGER NOT NULL CHECK (controlled IN (0, 1)),
  review_due  TEXT NOT NULL,
  PRIMARY KEY (patient_id, medicine)
);

CREATE TABLE refill_requests (
  request_id TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  medicine   TEXT NOT NULL,
  status     TEXT NOT NULL
);

CREATE TABLE clinical_messages (
  message_id TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  topic      TEXT NOT NULL,
  urgency    TEXT NOT NULL CHECK (urgency IN ('routine', 'same_day')),
  message    TEXT NOT NULL
);

CREATE TABLE records_requests (
  request_id TEXT PRIMARY KEY,
  patient_id TEXT NOT NULL REFERENCES patients,
  recipient  TEXT NOT NULL,
  content    TEXT NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('open', 'waiting_for_form'))
);

CREATE TABLE imaging_orders (
  order_number TEXT PRIMARY KEY,
  patient_id   TEXT NOT NULL REFERENCES patients,
  kind         TEXT NOT NULL CHECK (kind IN ('xray', 'ultrasound', 'mri', 'ct')),
  spoken       TEXT NOT NULL,
  contrast     INTEGER NOT NULL CHECK (contrast IN (0, 1)),
  preparation  TEXT NOT NULL,
  expires_on   TEXT NOT NULL
);

-- What a plan said of an order that needs its approval; office: the only one it holds for.
CREATE TABLE approvals (
  order_number TEXT PRIMARY KEY REFERENCES imaging_orders,
  status       TEXT NOT NULL CHECK (status IN ('asked', 'approved')),
  office       TEXT
);

CREATE TABLE safety_answers (
  order_number      TEXT PRIMARY KEY REFERENCES imaging_orders,
  metal_implant     INTEGER NOT NULL,
  maybe_pregnant    INTEGER NOT NULL,
  contrast_reaction INTEGER NOT NULL
);

CREATE TABLE imaging_slots (
  slot_id   TEXT PRIMARY KEY,
  kind      TEXT NOT NULL,
  office    TEXT NOT NULL,
  starts_at TEXT NOT NULL
);

CREATE TABLE imaging_bookings (
  booking_id   TEXT PRIMARY KEY,
  patient_id   TEXT NOT NULL REFERENCES patients,
  order_number TEXT NOT NULL REFERENCES imaging_orders,
  slot_id      TEXT NOT NULL REFERENCES imaging_slots
);

CREATE TABLE disclosures (
  disclosure_id TEXT PRIMARY KEY,
  kind          TEXT NOT NULL
);

CREATE TABLE emergencies (
  emergency_id TEXT PRIMARY KEY,
  sign         TEXT NOT NULL
);

CREATE TABLE declined_requests (
  decline_id  TEXT PRIMARY KEY,
  patient_id  TEXT,
  reason_code TEXT NOT NULL
);

CREATE TABLE escalations (
  escalation_id TEXT PRIMARY KEY,
  patient_id    TEXT,
  reason_code   TEXT NOT NULL,
  summary       TEXT NOT NULL
);
