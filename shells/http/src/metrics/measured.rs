//! The counters of the hall and the shells beside it, read at each scrape.

use super::play::{self, gauge};
use crate::beacon_health::BeaconHealth;
use crate::connections::Connections;
use crate::node::{NodeInfo, NodeView};
use crate::payload::HouseAgents;
use crate::streams::Streams;
use crate::witness_health::WitnessHealth;
use hall_core::rooms::BeaconStatus;
use hall_driver::{Doorbells, Engine, SECONDS_BUCKETS};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WitnessLabels {
    witness: String,
}

/// The counters of the hall itself, read at each scrape.
pub(crate) struct Measured {
    pub(crate) engine: Engine,
    /// `None` while it is off.
    pub(crate) beacon: Option<Arc<BeaconHealth>>,
    pub(crate) witnesses: Vec<Arc<WitnessHealth>>,
    pub(crate) doorbells: Arc<dyn Doorbells>,
    pub(crate) house_agents: HouseAgents,
    pub(crate) streams: Arc<Streams>,
    pub(crate) connections: Arc<Connections>,
    /// `None` for a hall in one process.
    pub(crate) node: Option<NodeView>,
}

impl Measured {
    /// One line a witness.
    fn encode_witnesses(&self, out: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let labels = |witness: &WitnessHealth| WitnessLabels { witness: witness.name().to_owned() };
        let help = "Leaves of the newest checkpoint that a witness has cosigned";
        let mut sizes = out.encode_descriptor("witness_cosigned_leaves", help, None, MetricType::Gauge)?;
        for witness in &self.witnesses {
            ConstGauge::new(gauge(witness.cosigned())).encode(sizes.encode_family(&labels(witness))?)?;
        }
        let help = "Leaves beyond the log that a witness says it has cosigned; 0 if it says no such thing";
        let mut ahead = out.encode_descriptor("witness_ahead_leaves", help, None, MetricType::Gauge)?;
        for witness in &self.witnesses {
            ConstGauge::new(gauge(witness.ahead())).encode(ahead.encode_family(&labels(witness))?)?;
        }
        let help = "Times that a witness has not cosigned what was submitted";
        let mut failures = out.encode_descriptor("witness_failures", help, None, MetricType::Counter)?;
        for witness in &self.witnesses {
            ConstCounter::new(witness.failures()).encode(failures.encode_family(&labels(witness))?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Measured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Measured")
    }
}

impl Collector for Measured {
    fn encode(&self, mut out: DescriptorEncoder<'_>) -> fmt::Result {
        let counters = self.engine.counters();
        let status = self.engine.status();
        let rings = self.doorbells.counts();
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let of_beacon = |read: fn(&BeaconHealth) -> u64| self.beacon.as_deref().map_or(0, read);
        for (name, help, value) in [
            ("commits", "Batches made durable", load(&counters.commits)),
            ("records", "Records made durable", load(&counters.records)),
            ("facts", "Facts made durable", load(&counters.facts)),
            ("commands", "Commands decided", load(&counters.commands)),
            ("gaps", "Gaps noted", load(&counters.gaps)),
            ("turned_away", "Commands answered without being decided", load(&counters.turned_away)),
            ("snapshots", "Snapshots written", load(&counters.snapshots)),
            ("scrub_rounds", "Times that all records were read and checked", load(&counters.scrub_rounds)),
            ("damage_found", "Pieces of damage found in the journal", load(&counters.damage_found)),
            ("beacon_rounds", "Beacon rounds fetched and verified", of_beacon(BeaconHealth::rounds)),
            (
                "beacon_failures",
                "Times that no relay had a round that was due",
                of_beacon(BeaconHealth::failures),
            ),
            ("rings_answered", "Doorbell rings answered with a 2xx", rings.answered),
            ("rings_failed", "Attempts to ring that failed", rings.failed),
            ("rings_dropped", "Turns not rung for, because too many waited", rings.dropped),
        ] {
            ConstCounter::new(value).encode(out.encode_descriptor(
                name,
                help,
                None,
                MetricType::Counter,
            )?)?;
        }
        let (agents, waiting) =
            self.engine.peek(|hall| (hall.desk().agent_count(), hall.desk().waiting_count()));
        let covered = self.engine.log().newest().map_or(0, |newest| newest.head.size);
        let sized = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        for (name, help, value) in [
            ("agents", "Registered agents", sized(agents)),
            ("lobby_waiting", "Agents that wait in lobbies", sized(waiting)),
            ("http_connections", "Open connections", sized(self.connections.count())),
            ("event_streams", "Open event streams", sized(self.streams.count())),
            ("head_record", "The last record decided", gauge(status.head_seq)),
            ("durable_record", "The last durable record", gauge(status.durable_seq)),
            ("queued_commands", "Commands that wait for the writer", sized(status.queued)),
            ("free_bytes", "Free bytes on the journal's volume", gauge(status.free_bytes)),
            ("writable", "1 while commands are taken", i64::from(status.writable)),
            ("stopping", "1 while the hall stops", i64::from(status.stopping)),
            ("draining", "1 while no new games begin", i64::from(status.draining)),
            (
                "beacon_newest_round",
                "The newest beacon round verified",
                gauge(of_beacon(BeaconHealth::newest)),
            ),
            ("ring_turns", "Turns that are rung for, waiting ones included", gauge(rings.turns)),
            ("rings_under_way", "Attempts to ring under way", gauge(rings.under_way)),
            ("log_leaves", "Leaves of the log that a checkpoint covers", gauge(covered)),
            ("log_signing", "1 while checkpoints are signed", i64::from(self.engine.is_signing())),
        ] {
            ConstGauge::new(value).encode(out.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let now = self.beacon.as_deref().map_or(BeaconStatus::Off, BeaconHealth::status);
        let help = "1 for the state of the beacon: off, waiting, verified or missed";
        let mut states = out.encode_descriptor("beacon_status", help, None, MetricType::Gauge)?;
        for status in [BeaconStatus::Off, BeaconStatus::Waiting, BeaconStatus::Verified, BeaconStatus::Missed]
        {
            let labels = [("status", status.as_str())];
            states.encode_family(&labels)?.encode_gauge(&i64::from(status == now))?;
        }
        self.encode_witnesses(&mut out)?;
        if let Some(node) = &self.node {
            encode_node(&node(), &mut out)?;
        }
        play::encode(&self.engine, &self.house_agents, &mut out)?;
        let bounds = SECONDS_BUCKETS.iter().copied().chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(counters.commit_buckets.iter().map(load)).collect();
        let sum = Duration::from_micros(load(&counters.commit_micros)).as_secs_f64();
        out.encode_descriptor("commit_seconds", "Time that commits took", None, MetricType::Histogram)?
            .encode_histogram::<NoLabelSet>(sum, load(&counters.commits), &buckets, None)
    }
}

/// What a process is among several of one hall.
fn encode_node(node: &NodeInfo, out: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let NodeInfo { role, leader: _, epoch, takes_writes, applied, durable, lag } = node;
    for (name, help, value) in [
        ("node_leads", "1 while this node leads", i64::from(*role == "leader")),
        ("node_linked", "1 while commands that arrive here are decided", i64::from(*takes_writes)),
        (
            "node_epoch",
            "The epoch that this node knows; each fail-over and hand-over adds one",
            gauge(*epoch),
        ),
        ("node_applied_seq", "The last record that this node shows", gauge(*applied)),
        ("node_durable_seq", "The last record that this node knows to be durable", gauge(*durable)),
        ("node_lag_records", "Records that are durable and that this node does not show yet", gauge(*lag)),
    ] {
        ConstGauge::new(value).encode(out.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
    }
    Ok(())
}
