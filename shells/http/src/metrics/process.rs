//! The process as the operating system knows it, under the names that Prometheus' own libraries use, and the build.
//! Read from `/proc`; where there is none (not on Linux) the metrics of the process are left out.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The commit that this was built from, if the builder named it in `HALL_COMMIT`. The build does not determine it by
/// itself, so that builds are reproducible.
const COMMIT: Option<&str> = option_env!("HALL_COMMIT");

/// When the machine booted, since 1970. It is read once: the two clocks never agree to the nanosecond, and the start of
/// the process must be the same in every scrape, because alerts count its changes as restarts.
static BOOTED: LazyLock<Option<Duration>> = LazyLock::new(|| {
    let boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let since_boot = Duration::new(u64::try_from(boot.tv_sec).ok()?, u32::try_from(boot.tv_nsec).ok()?);
    SystemTime::now().duration_since(UNIX_EPOCH).ok()?.checked_sub(since_boot)
});

/// `hall_build_info`.
#[derive(Debug)]
pub(super) struct Build;

impl Collector for Build {
    fn encode(&self, mut out: DescriptorEncoder<'_>) -> fmt::Result {
        let mut labels = vec![("version", env!("CARGO_PKG_VERSION"))];
        labels.extend(COMMIT.filter(|commit| !commit.is_empty()).map(|commit| ("commit", commit)));
        let help = "The version of the program, and its commit where the build was told";
        Info::new(labels).encode(out.encode_descriptor("build", help, None, MetricType::Info)?)
    }
}

/// `process_*`.
#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut out: DescriptorEncoder<'_>) -> fmt::Result {
        let Some(seen) = ProcessStatus::now() else { return Ok(()) };
        let help = "User and system CPU time spent, in seconds";
        ConstCounter::new(seen.cpu_seconds).encode(out.encode_descriptor(
            "process_cpu_seconds",
            help,
            None,
            MetricType::Counter,
        )?)?;
        for (name, help, value) in [
            ("process_resident_memory_bytes", "Resident memory in bytes", seen.resident_bytes),
            ("process_virtual_memory_bytes", "Virtual memory in bytes", seen.virtual_bytes),
            ("process_open_fds", "Open file descriptors", seen.open_files),
            ("process_max_fds", "File descriptors at most", seen.most_files),
            ("process_threads", "Threads", seen.threads),
        ] {
            ConstGauge::new(value).encode(out.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let help = "Start of the process, in seconds since 1970";
        ConstGauge::new(seen.start_seconds).encode(out.encode_descriptor(
            "process_start_time_seconds",
            help,
            None,
            MetricType::Gauge,
        )?)
    }
}

/// What `/proc/self` says.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ProcessStatus {
    cpu_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    open_files: u64,
    most_files: u64,
    threads: u64,
    start_seconds: f64,
}

impl ProcessStatus {
    fn now() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let open_files = std::fs::read_dir("/proc/self/fd").ok()?.count();
        let most_files =
            rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        let booted = (*BOOTED)?;
        let ticks = rustix::param::clock_ticks_per_second();
        let page = u64::try_from(rustix::param::page_size()).ok()?;
        Self::read(&stat, ticks, page, booted).map(|seen| Self {
            // The folder is open while it is counted.
            open_files: u64::try_from(open_files).unwrap_or(u64::MAX).saturating_sub(1),
            most_files,
            ..seen
        })
    }

    /// Reads `/proc/self/stat`. The second field is the name in brackets and may hold anything, so fields are counted
    /// from the last bracket on: the first after it is the third of proc(5).
    fn read(stat: &str, ticks: u64, page: u64, booted: Duration) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let seconds = |ticked: u64| Duration::from_millis(ticked.saturating_mul(1_000) / ticks.max(1));
        Some(Self {
            cpu_seconds: seconds(field(14)?.saturating_add(field(15)?)).as_secs_f64(),
            threads: field(20)?,
            start_seconds: (booted + seconds(field(22)?)).as_secs_f64(),
            virtual_bytes: field(23)?,
            resident_bytes: field(24)?.saturating_mul(page),
            open_files: 0,
            most_files: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_read_as_the_manual_says_whatever_the_process_name_is() {
        let stat = "42 (a ) name) S 1 42 42 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 7 0 1000 8192000 300 18446744073709551615 1";
        let seen = ProcessStatus::read(stat, 100, 4_096, Duration::from_secs(1_000_000)).unwrap();
        assert_eq!((seen.cpu_seconds, seen.threads), (2.0, 7));
        assert_eq!((seen.virtual_bytes, seen.resident_bytes), (8_192_000, 300 * 4_096));
        assert_eq!(seen.start_seconds, 1_000_010.0);
        assert_eq!(ProcessStatus::read("42 (x", 100, 4_096, Duration::ZERO), None);
    }

    #[test]
    fn the_start_time_of_this_process_does_not_change() {
        let first = ProcessStatus::now().unwrap().start_seconds;
        assert!((0..500).all(|_| ProcessStatus::now().unwrap().start_seconds == first));
    }

    #[test]
    fn this_process_started_recently_and_has_open_files() {
        let seen = ProcessStatus::now().unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        assert!(seen.start_seconds <= now + 1.0 && seen.start_seconds > now - 3_600.0, "{seen:?} at {now}");
        assert!(seen.open_files >= 3 && seen.open_files <= seen.most_files, "{seen:?}");
        assert!(seen.resident_bytes > 0 && seen.threads > 0, "{seen:?}");
    }
}
