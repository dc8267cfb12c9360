//! Processor time of this process.

use std::time::Duration;

/// Processor time that all threads of this process have used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In user space.
    pub user: Duration,
    /// In the kernel.
    pub system: Duration,
}

/// Processor time used so far, to the microsecond.
#[must_use]
pub fn cpu_time() -> CpuTime {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` has space for one rusage, and all zeros are a valid one
    // should the call fail, which it never does for a valid `who`.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    CpuTime {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
    seconds + Duration::from_micros(time.tv_usec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_processor_time() {
        let before = cpu_time();
        let mut sum = 0_u64;
        while cpu_time().user == before.user {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(cpu_time().user > before.user);
    }
}
