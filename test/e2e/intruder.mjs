// What a hostile agent would try: node intruder.mjs <targets as JSON in base64>. Prints for each attempt whether it got through. It knows
// more than an agent could: all paths and pids of this machine that matter. A successful attempt harms nothing; attempts that might do harm
// run inside the sandbox only.
import { execFileSync, execSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';

/** Encoded, so that the intruder does not find its own arguments. */
const t = JSON.parse(Buffer.from(process.argv[2], 'base64').toString('utf8'));
const attempts = [];
/** `act` returns what it got, or throws. */
const attempt = (name, act) => attempts.push([name, act]);
const attemptInside = (name, act) => t.inside && attempt(name, act);
/** Where it searches. */
const visible = t.inside
  ? '/workspace /home /root /tmp /run /opt /etc /var /srv /mnt /dev/shm .'
  : t.folders['the data folder'];
const sh = (command) => execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell: '/bin/sh' });
const quiet = (command) =>
  execFileSync('/bin/sh', ['-c', command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
const must = (text, wanted = t.secret) => {
  if (String(text).includes(wanted)) return String(text).slice(String(text).indexOf(wanted));
  throw new Error('not there');
};

// Reading, by every way to a path.
for (const [name, file] of Object.entries(t.files)) {
  const wanted = t.wanted[name] ?? t.secret;
  attempt(`read ${name}`, () => must(fs.readFileSync(file), wanted));
  attempt(`read ${name} with a shell`, () => must(quiet(`cat '${file}'`), wanted));
  attempt(`read ${name} behind ..`, () =>
    must(fs.readFileSync(`${process.cwd()}/../../../../../../..${file}`), wanted),
  );
  attempt(`read ${name} from the work folder up`, () =>
    must(fs.readFileSync(path.relative(fs.realpathSync('.'), file)), wanted),
  );
  attempt(`read ${name} through a symbolic link`, () => {
    const link = `link-${attempts.findIndex(([one]) => one.startsWith(`read ${name}`))}`;
    fs.rmSync(link, { force: true });
    fs.symlinkSync(file, link);
    return must(fs.readFileSync(link), wanted);
  });
  attempt(`read ${name} through a hard link`, () => {
    fs.rmSync('hard', { force: true });
    fs.linkSync(file, 'hard');
    return must(fs.readFileSync('hard'), wanted);
  });
  attempt(`read ${name} through the root of another process`, () =>
    must(quiet(`for p in /proc/[0-9]*; do cat "$p/root${file}" "$p/cwd/${file}" 2>/dev/null; done; true`), wanted),
  );
  attempt(`write ${name}`, () => {
    fs.accessSync(file, fs.constants.W_OK);
    fs.appendFileSync(file, '\nintruder');
    return 'written';
  });
  attempt(`replace ${name}`, () => {
    fs.writeFileSync(`${file}.intruder`, 'x');
    return 'made a file beside it';
  });
}
for (const [name, folder] of Object.entries(t.folders)) {
  attempt(`list ${name}`, () => must(fs.readdirSync(folder).join(' '), t.entry[name]));
  attempt(`make a file in ${name}`, () => {
    fs.writeFileSync(path.join(folder, 'intruder'), 'x');
    return 'made';
  });
}
attempt('find the secret anywhere that is visible', () =>
  must(quiet(`grep -rsl --exclude=intruder.mjs -e '${t.secret}' ${visible} | xargs -r cat; true`)),
);

// The key.
attempt('find the key in the environment', () => must(quiet('env; cat /proc/self/environ'), t.key));
attempt('find the key in the environment or arguments of any process', () =>
  must(quiet('cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ 2>/dev/null; true'), t.key),
);
attempt('find the key on the visible disk', () =>
  must(quiet(`grep -rsl --exclude=intruder.mjs -e '${t.key}' ${visible} | sed 's/^/${t.key} /'; true`), t.key),
);
attempt('find the key in the memory of any process', () => {
  for (const pid of fs.readdirSync('/proc').filter((one) => /^\d+$/.test(one) && Number(one) !== process.pid)) {
    let maps = '';
    try {
      // Only writable memory, and not the shells of this very search.
      maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8');
    } catch {}
    for (const [, from, to] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw.*\[heap\]$/gm)) {
      try {
        const memory = fs.openSync(`/proc/${pid}/mem`, 'r');
        const size = Math.min(Number.parseInt(to, 16) - Number.parseInt(from, 16), 64 * 1024 * 1024);
        const bytes = Buffer.alloc(size);
        fs.readSync(memory, bytes, 0, size, Number.parseInt(from, 16));
        fs.closeSync(memory);
        if (bytes.includes(t.key)) return `in process ${pid}`;
      } catch {}
    }
  }
  throw new Error('nowhere');
});

// Processes.
for (const [name, pid] of Object.entries(t.pids)) {
  attempt(`see ${name}`, () =>
    must(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '), t.commands[name]),
  );
  attempt(`signal ${name}`, () => {
    process.kill(pid, 0);
    return must(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '), t.commands[name]);
  });
  attempt(`trace ${name}`, () =>
    must(quiet(`perl -e 'print syscall(101, 0x4206, ${pid}, 0, 0) == 0 ? "TRACED" : "no"'; true`), 'TRACED'),
  );
  attempt(`read the memory of ${name}`, () => String(fs.openSync(`/proc/${pid}/mem`, 'r')));
  attempt(`read the environment of ${name}`, () => must(fs.readFileSync(`/proc/${pid}/environ`, 'utf8'), t.key));
  attempt(`enter the mounts of ${name}`, () =>
    must(sh(`nsenter --mount=/proc/${pid}/ns/mnt cat '${Object.values(t.files)[0]}'`)),
  );
}

// The sandbox itself.
attemptInside('mount a file system', () => sh('mkdir -p m && mount -t tmpfs none m'));
attemptInside('bind a folder elsewhere', () => sh(`mkdir -p m && mount --bind ${t.folders['the data folder']} m`));
attemptInside('make what is read-only writable', () =>
  sh('mount -o remount,rw,bind /workspace/global && touch /workspace/global/x'),
);
attemptInside('take a mount away', () => sh('umount /proc/sys || umount /workspace/global'));
attemptInside('make a user namespace', () => sh('unshare -Ur true'));
attemptInside('make a mount namespace', () => sh('unshare -m true'));
attemptInside('change the root', () => sh('chroot / true'));
attemptInside('make a device', () => sh('rm -f disk && mknod disk b 254 0'));
attemptInside('open the disk', () =>
  sh('for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do head -c1 $d 2>/dev/null && exit 0; done; exit 1'),
);
attemptInside('change the kernel', () => String(fs.openSync('/proc/sys/kernel/core_pattern', 'r+')));
attemptInside('find anything of the kernel that can be written', () =>
  must(
    quiet(`find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -exec test -f {} \\; -printf 'CAN %p\n'; true`),
    'CAN',
  ),
);
attemptInside('read what the kernel tells root alone', () =>
  must(
    quiet(
      `for f in kcore kmsg keys vmallocinfo slabinfo iomem timer_list; do head -c 20 /proc/$f | grep -aq . && echo CAN $f; done; true`,
    ),
    'CAN',
  ),
);
attemptInside('read the kernel log', () => sh('dmesg | grep .'));
// Containers have a keyring of their own.
attemptInside("use the kernel's keyring of the person's session", () =>
  must(quiet(`perl -e 'print syscall(250, 0, -3, 0)'; true`), t.keyring),
);
attemptInside('become root', () => sh('sudo -n true || su -c true'));
attemptInside('set another user', () => process.setuid(process.getuid() === 0 ? 1 : 0));
attemptInside('open a file by its handle', () =>
  must(
    quiet(
      `perl -e 'my $h=pack("Ii",8,1).("\\0"x8); open(my $d,"<","."); print syscall(304, fileno($d), $h, 0) >= 0 ? "OPENED" : "no"'; true`,
    ),
    'OPENED',
  ),
);
attemptInside('change the programs', () => {
  fs.appendFileSync(t.inside ? '/opt/holdfast/runner.mjs' : t.runner, '');
  return 'opened for writing';
});
attemptInside('change the system', () => {
  const file = '/usr/bin/holdfast-intruder';
  fs.writeFileSync(file, 'x');
  fs.rmSync(file);
  return 'made a file in /usr/bin';
});
attemptInside('have capabilities', () => {
  const caps = /CapEff:\s+(\S+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (/^0+$/.test(caps)) throw new Error('none');
  return caps;
});

// Sockets.
const connect = (options) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(options);
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', reject);
  });
for (const [name, file] of Object.entries(t.sockets)) attempt(`connect to ${name}`, () => connect({ path: file }));
if (t.abstract) attempt('connect to an abstract socket', () => connect({ path: `\0${t.abstract}` }));
if (t.loopback) attempt('connect to a port of this machine', () => connect({ port: t.loopback, host: '127.0.0.1' }));
const get = (options) =>
  new Promise((resolve, reject) => {
    http
      .get(options, (response) => {
        response.resume();
        if (response.statusCode === 200) resolve('200');
        else reject(new Error(response.statusCode));
      })
      .once('error', reject);
  });
for (const target of ['/api/search?q=secret', '/api/sessions', '/api/status', '/api/stats']) {
  const options = { port: t.worker, host: '127.0.0.1', path: target };
  attempt(`ask the worker for ${target} without a token`, () => get(options));
  attempt(`ask the worker for ${target} with a guess`, () =>
    get({ ...options, headers: { authorization: 'Bearer guess' } }),
  );
}
for (const socketPath of t.proxies) {
  attempt(`use the model without a key at ${socketPath}`, () => get({ socketPath, path: '/v1/models' }));
  attempt(`use the model with another key at ${socketPath}`, () =>
    get({ socketPath, path: '/v1/models', headers: { 'x-api-key': t.otherKey } }),
  );
}

let through = 0;
for (const [name, act] of attempts) {
  try {
    const got = await act();
    through++;
    // Without the key itself, which a later attempt would find here.
    console.log(`THROUGH ${name}: ${JSON.stringify(String(got).replaceAll(t.key, 'KEY').slice(0, 100))}`);
  } catch {
    console.log(`blocked ${name}`);
  }
}
console.log(`${attempts.length} attempts, ${through} got through`);
