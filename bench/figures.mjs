// How figures are measured and shown.
import { spawn, spawnSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../bin/holdfast', import.meta.url));

/** Milliseconds of one call. */
export async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Runs Node to its end: milliseconds, its output, its peak memory in MB, and milliseconds of CPU time. */
export async function runNode(args, env = {}) {
  const began = performance.now();
  const counted = spawnSync('/usr/bin/time', ['--version']).status === 0;
  const [file, ...rest] = [...(counted ? ['/usr/bin/time', '-f', 'peak %M cpu %U %S'] : []), process.execPath, ...args];
  const child = spawn(file, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (text.out += chunk));
  child.stderr.on('data', (chunk) => (text.err += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${text.err}`);
  const peak = Number(/peak (\d+)/.exec(text.err)?.[1]) / 1000;
  // Of all its threads, without other work on the machine.
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(text.err) ?? [];
  return { ms: performance.now() - began, out: text.out, peak, cpu: (Number(user) + Number(system)) * 1000 };
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The range of the median in 9 of 10 draws from the values (bootstrap), so that a reader sees how far a figure can be trusted. */
export function interval(values, draws = 2000) {
  const drawn = () => values[Math.floor(Math.random() * values.length)];
  const medians = Array.from({ length: draws }, () => quantile(Array.from(values, drawn), 0.5));
  return [quantile(medians, 0.05), quantile(medians, 0.95)];
}

/** Rows of [what, figure, unit, goal, beside]. A goal is the maximum allowed. */
export function show(rows) {
  const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
  const table = rows.map(([what, figure, unit, goal, beside = '']) => [
    what,
    `${digits(figure)} ${unit}`.trim(),
    goal === undefined ? '' : `≤ ${Number.isInteger(goal) ? goal : digits(goal)}`,
    goal === undefined ? '' : figure <= goal ? 'met' : 'MISSED',
    beside,
  ]);
  const head = ['', 'figure', 'goal', '', 'beside it'];
  const widths = head.map((name, i) => Math.max(name.length, ...table.map((row) => row[i].length)));
  for (const row of [head, ...table])
    console.log(`  ${row.map((cell, i) => cell.padEnd(widths[i])).join('  ')}`.trimEnd());
  console.log(`  load ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} cores, Node ${process.versions.node}`);
}
