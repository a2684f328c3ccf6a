// A filter of system calls for bubblewrap (`--seccomp`): no program inside may use the kernel's keyrings. Namespaces do not separate them: a
// process inherits the keyring of the session that started it, with all keys of the person in it.

/** How the kernel names the kinds of processors, and the first of the calls `add_key`, `request_key` and `keyctl` there. */
const processors: readonly (readonly [name: number, first: number])[] = [
  [0xc000003e, 248],
  [0x40000003, 286],
  [0xc00000b7, 217],
  [0x40000028, 309],
];
const count = 3;

const load = 0x20;
const and = 0x54;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const ifMore = 0x25;
const answer = 0x06;
const allowed = 0x7fff0000;
const notPermitted = 0x00050001;
/** Where the kernel puts the number of the call, and the kind of processor. */
const callAt = 0;
const processorAt = 4;
/** Calls of the x32 kind have this bit, and otherwise the same numbers. */
const withoutX32 = 0xbfffffff;

/** A program for the kernel: eight bytes for each step; a jump counts the steps that it leaves out. */
export function keyFilter(): Buffer {
  const stepsEach = 4;
  const first = 1 + processors.length + 1;
  const allow = first + stepsEach * processors.length;
  const refuse = allow + 1;
  const steps: Buffer[] = [];
  const add = (code: number, value: number, yes?: number, no?: number) => {
    const step = Buffer.alloc(8);
    const skip = (target: number | undefined) => (target === undefined ? 0 : target - steps.length - 1);
    step.writeUInt16LE(code, 0);
    step.writeUInt8(skip(yes), 2);
    step.writeUInt8(skip(no), 3);
    step.writeUInt32LE(value, 4);
    steps.push(step);
  };
  add(load, processorAt);
  for (const [i, [name]] of processors.entries()) add(ifEqual, name, first + stepsEach * i);
  add(answer, allowed);
  for (const [, from] of processors) {
    add(load, callAt);
    add(and, withoutX32);
    add(ifAtLeast, from, undefined, allow);
    add(ifMore, from + count - 1, allow, refuse);
  }
  add(answer, allowed);
  add(answer, notPermitted);
  return Buffer.concat(steps);
}
