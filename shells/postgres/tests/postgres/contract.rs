//! The contract suite of all journals. Each case gets a schema of its own.

use crate::claims::{Backend, contract};
use crate::server::{shared, take};
use hall_journal::Journal;
use hall_postgres::Settings;

pub(crate) struct Postgres(Settings);

impl Postgres {
    pub(crate) fn new() -> Self {
        Self(shared().settings())
    }
}

impl Backend for Postgres {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(take(&self.0))
    }
}

contract!(
    #[ignore = "needs PostgreSQL"]
    postgres,
    crate::contract::Postgres::new()
);
