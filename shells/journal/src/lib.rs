//! Where facts become durable: the journal trait, a memory journal and fjall.
