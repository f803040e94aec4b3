//! The HTTP shell from outside: a hall in memory behind a real socket, spoken to in bare HTTP.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod challenges;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod hall;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod log;
#[cfg(test)]
mod order;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod play;
#[cfg(test)]
mod ratings;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod research;
#[cfg(test)]
mod rules_gone;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod waiting;
