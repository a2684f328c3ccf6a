/**
 * The kernel's files below /proc, many of which belong to root. For these the kernel checks the uid, not capabilities: host root stays root
 * inside the sandbox. Neither bwrap nor an engine covers all of them.
 */
export const kernel = {
  readOnly: ['acpi', 'bus', 'driver', 'fs', 'irq', 'mtrr', 'pressure', 'scsi', 'sys', 'sysrq-trigger', 'tty'],
  hidden: [
    ...[
      'kcore',
      'kmsg',
      'keys',
      'key-users',
      'kallsyms',
      'kpagecgroup',
      'kpagecount',
      'kpageflags',
      'iomem',
      'ioports',
    ],
    ...['latency_stats', 'pagetypeinfo', 'sched_debug', 'slabinfo', 'timer_list', 'vmallocinfo', 'config.gz'],
  ],
};
