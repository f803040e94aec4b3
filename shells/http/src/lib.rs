//! The HTTP shell of Hall: routes, envelope, documents, event streams.
