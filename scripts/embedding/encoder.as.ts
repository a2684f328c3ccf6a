// The forward pass of the sentence encoder, in AssemblyScript: two transformer layers of width 256 over at most 256 tokens.
// Weights are int8 values held as int16, activations are quantised to 12 bits for each token, so that one instruction multiplies eight pairs.
// scripts/kernel.mjs compiles it into src/embedding/encoder-bytes.ts; encoder.test.ts compares it with plain JavaScript.

const WIDTH: i32 = 256;
const HEADS: i32 = 4;
const HEAD: i32 = 64;
const INNER: i32 = 512;
const MOST: i32 = 256;

// Scratch, from the first byte of memory on. The caller writes token ids at IDS and reads the vector at OUT.
const IDS: usize = 1024;
const OUT: usize = IDS + 4 * MOST;
const X: usize = OUT + 4 * WIDTH;
const QUANTISED: usize = X + 4 * MOST * WIDTH;
const FACTORS: usize = QUANTISED + 2 * MOST * INNER;
const WIDE: usize = FACTORS + 4 * MOST;
const MIXED: usize = WIDE + 4 * MOST * 3 * WIDTH;
const SCORES: usize = MIXED + 4 * MOST * WIDTH;
const ROW: usize = SCORES + 4 * MOST;
/** Where the caller puts weights. */
const FREE: usize = ROW + 4 * INNER;

export function idsAt(): usize {
  return IDS;
}
export function outAt(): usize {
  return OUT;
}
export function freeAt(): usize {
  return (FREE + 15) & ~15;
}

// @ts-ignore: decorator
@inline
function lanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3);
}
// @ts-ignore: decorator
@inline
function whole(v: v128): f32 {
  return <f32>(
    (i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3))
  );
}

/** `count` numbers → int16 within ±2047, and the factor that undoes it. */
function quantise(from: usize, to: usize, factor: usize, count: i32): void {
  let most = f32x4.splat(1e-9);
  for (let i = 0; i < count; i += 4) most = f32x4.max(most, f32x4.abs(v128.load(from + (<usize>i << 2))));
  const largest: f32 = max<f32>(
    max<f32>(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    max<f32>(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
  );
  const by = f32x4.splat(<f32>2047 / largest);
  for (let i = 0; i < count; i += 8) {
    const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + (<usize>i << 2)), by)));
    const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + (<usize>i << 2), 16), by)));
    v128.store(to + (<usize>i << 1), i16x8.narrow_i32x4_s(low, high));
  }
  store<f32>(factor, largest / <f32>2047);
}

/** Layer normalisation of a row into ROW. */
function normalise(from: usize, gains: usize): void {
  let sum = f32x4.splat(0);
  let squares = f32x4.splat(0);
  for (let i: usize = 0; i < 4 * WIDTH; i += 16) {
    const v = v128.load(from + i);
    sum = f32x4.add(sum, v);
    squares = f32x4.add(squares, f32x4.mul(v, v));
  }
  const mean: f32 = lanes(sum) / <f32>WIDTH;
  const spread: f32 = lanes(squares) / <f32>WIDTH - mean * mean;
  const by = f32x4.splat(<f32>1 / sqrt<f32>(max<f32>(spread, 0) + <f32>1e-5));
  const less = f32x4.splat(mean);
  for (let i: usize = 0; i < 4 * WIDTH; i += 16) {
    const v = f32x4.mul(f32x4.sub(v128.load(from + i), less), by);
    v128.store(ROW + i, f32x4.add(f32x4.mul(v, v128.load(gains + i)), v128.load(gains + i, 4 * WIDTH)));
  }
}

/** Writes, or adds, one number of the product. */
// @ts-ignore: decorator
@inline
function put(at: usize, value: f32, adds: bool, positive: bool): void {
  if (adds) store<f32>(at, load<f32>(at) + value);
  else store<f32>(at, positive ? max<f32>(value, 0) : value);
}

/** QUANTISED (count × inner) times a weight matrix (outer rows of inner int16, then their scales, then biases) → out. */
function multiply(count: i32, inner: i32, outer: i32, weights: usize, out: usize, adds: bool, positive: bool): void {
  const bytes = <usize>inner << 1;
  const scales = weights + bytes * outer;
  const biases = scales + (<usize>outer << 2);
  for (let t = 0; t < count; t += 4) {
    // The last block may reach past the last token; its rows there hold old numbers, and their results are not kept.
    const x = QUANTISED + bytes * t;
    for (let n = 0; n < outer; n += 2) {
      const w = weights + bytes * n;
      let a0 = i32x4.splat(0), a1 = i32x4.splat(0), a2 = i32x4.splat(0), a3 = i32x4.splat(0);
      let b0 = i32x4.splat(0), b1 = i32x4.splat(0), b2 = i32x4.splat(0), b3 = i32x4.splat(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const u = v128.load(w + k);
        const v = v128.load(w + bytes + k);
        const x0 = v128.load(x + k);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(x0, u));
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(x0, v));
        const x1 = v128.load(x + bytes + k);
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(x1, u));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(x1, v));
        const x2 = v128.load(x + 2 * bytes + k);
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(x2, u));
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(x2, v));
        const x3 = v128.load(x + 3 * bytes + k);
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(x3, u));
        b3 = i32x4.add(b3, i32x4.dot_i16x8_s(x3, v));
      }
      const at = <usize>n << 2;
      const s0 = load<f32>(scales + at), s1 = load<f32>(scales + at, 4);
      const c0 = load<f32>(biases + at), c1 = load<f32>(biases + at, 4);
      const f = FACTORS + (<usize>t << 2);
      let to = out + ((<usize>t * outer) << 2) + at;
      const step = <usize>outer << 2;
      let by = load<f32>(f);
      put(to, whole(a0) * by * s0 + c0, adds, positive);
      put(to + 4, whole(b0) * by * s1 + c1, adds, positive);
      if (t + 1 < count) {
        to += step;
        by = load<f32>(f, 4);
        put(to, whole(a1) * by * s0 + c0, adds, positive);
        put(to + 4, whole(b1) * by * s1 + c1, adds, positive);
      }
      if (t + 2 < count) {
        to += step;
        by = load<f32>(f, 8);
        put(to, whole(a2) * by * s0 + c0, adds, positive);
        put(to + 4, whole(b2) * by * s1 + c1, adds, positive);
      }
      if (t + 3 < count) {
        to += step;
        by = load<f32>(f, 12);
        put(to, whole(a3) * by * s0 + c0, adds, positive);
        put(to + 4, whole(b3) * by * s1 + c1, adds, positive);
      }
    }
  }
}

/** e^x for x ≤ 0, to seven digits: 2^whole times a polynomial of the rest. */
function exponential(x: f32): f32 {
  if (x < -80) return 0;
  const scaled = x * <f32>1.4426950408889634;
  const floor = nearest<f32>(scaled);
  const r = (scaled - floor) * <f32>0.6931471805599453;
  const p: f32 =
    1 + r * (1 + r * (<f32>0.5 + r * (<f32>0.16666667 + r * (<f32>0.041666668 + r * (<f32>0.008333334 + r * <f32>0.0013888889)))));
  return p * reinterpret<f32>((<i32>floor + 127) << 23);
}

/** WIDE holds query, key and value of each token; MIXED gets what each token takes from the others. */
function attend(count: i32): void {
  const step: usize = 4 * 3 * WIDTH;
  for (let h = 0; h < HEADS; h++) {
    const head = WIDE + <usize>(4 * HEAD * h);
    for (let t = 0; t < count; t++) {
      const q = head + step * t;
      let largest: f32 = -1e30;
      for (let j = 0; j < count; j++) {
        const k = head + step * j + 4 * WIDTH;
        let a = f32x4.splat(0), b = f32x4.splat(0);
        for (let i: usize = 0; i < 4 * HEAD; i += 32) {
          a = f32x4.add(a, f32x4.mul(v128.load(q + i), v128.load(k + i)));
          b = f32x4.add(b, f32x4.mul(v128.load(q + i, 16), v128.load(k + i, 16)));
        }
        const score = lanes(f32x4.add(a, b)) * <f32>0.125;
        largest = max<f32>(largest, score);
        store<f32>(SCORES + (<usize>j << 2), score);
      }
      let sum: f32 = 0;
      for (let j = 0; j < count; j++) {
        const e = exponential(load<f32>(SCORES + (<usize>j << 2)) - largest);
        sum += e;
        store<f32>(SCORES + (<usize>j << 2), e);
      }
      const to = MIXED + <usize>(4 * WIDTH) * t + <usize>(4 * HEAD * h);
      const by = f32x4.splat(<f32>1 / sum);
      for (let i: usize = 0; i < 4 * HEAD; i += 64) {
        let a = f32x4.splat(0), b = f32x4.splat(0), c = f32x4.splat(0), d = f32x4.splat(0);
        for (let j = 0; j < count; j++) {
          const v = head + step * j + 8 * WIDTH + i;
          const weight = v128.load32_splat(SCORES + (<usize>j << 2));
          a = f32x4.add(a, f32x4.mul(weight, v128.load(v)));
          b = f32x4.add(b, f32x4.mul(weight, v128.load(v, 16)));
          c = f32x4.add(c, f32x4.mul(weight, v128.load(v, 32)));
          d = f32x4.add(d, f32x4.mul(weight, v128.load(v, 48)));
        }
        v128.store(to + i, f32x4.mul(a, by));
        v128.store(to + i, f32x4.mul(b, by), 16);
        v128.store(to + i, f32x4.mul(c, by), 32);
        v128.store(to + i, f32x4.mul(d, by), 48);
      }
    }
  }
}

/** Token rows (int8, a scale each) and positions → X. */
export function begin(count: i32, rows: usize, scales: usize, positions: usize): void {
  for (let t = 0; t < count; t++) {
    const id = load<i32>(IDS + (<usize>t << 2));
    const row = rows + <usize>WIDTH * id;
    const by = f32x4.splat(load<f32>(scales + (<usize>id << 2)));
    const x = X + <usize>(4 * WIDTH) * t;
    const p = positions + <usize>(4 * WIDTH) * t;
    for (let i: usize = 0; i < <usize>WIDTH; i += 4) {
      const v = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(row + i))));
      v128.store(x + 4 * i, f32x4.add(f32x4.mul(v, by), v128.load(p + 4 * i)));
    }
  }
}

/** A matrix takes outer × inner int16, outer scales and outer biases. */
// @ts-ignore: decorator
@inline
function sizeOf(outer: usize, inner: usize): usize {
  return outer * inner * 2 + outer * 8;
}

export function layer(count: i32, weights: usize): void {
  const gains1 = weights;
  const qkv = gains1 + 8 * WIDTH;
  const mix = qkv + sizeOf(3 * WIDTH, WIDTH);
  const gains2 = mix + sizeOf(WIDTH, WIDTH);
  const widen = gains2 + 8 * WIDTH;
  const narrow = widen + sizeOf(INNER, WIDTH);
  for (let t = 0; t < count; t++) {
    normalise(X + <usize>(4 * WIDTH) * t, gains1);
    quantise(ROW, QUANTISED + <usize>(2 * WIDTH) * t, FACTORS + (<usize>t << 2), WIDTH);
  }
  multiply(count, WIDTH, 3 * WIDTH, qkv, WIDE, false, false);
  attend(count);
  for (let t = 0; t < count; t++)
    quantise(MIXED + <usize>(4 * WIDTH) * t, QUANTISED + <usize>(2 * WIDTH) * t, FACTORS + (<usize>t << 2), WIDTH);
  multiply(count, WIDTH, WIDTH, mix, X, true, false);
  for (let t = 0; t < count; t++) {
    normalise(X + <usize>(4 * WIDTH) * t, gains2);
    quantise(ROW, QUANTISED + <usize>(2 * WIDTH) * t, FACTORS + (<usize>t << 2), WIDTH);
  }
  multiply(count, WIDTH, INNER, widen, WIDE, false, true);
  for (let t = 0; t < count; t++)
    quantise(WIDE + <usize>(4 * INNER) * t, QUANTISED + <usize>(2 * INNER) * t, FACTORS + (<usize>t << 2), INNER);
  multiply(count, INNER, WIDTH, narrow, X, true, false);
}

/** The gated sum of all tokens, through a last matrix → OUT. `gate` holds 256 weights and a bias. */
export function finish(count: i32, gate: usize, last: usize): void {
  for (let i: usize = 0; i < 4 * WIDTH; i += 16) v128.store(MIXED + i, f32x4.splat(0));
  for (let t = 0; t < count; t++) {
    const x = X + <usize>(4 * WIDTH) * t;
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < 4 * WIDTH; i += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(x + i), v128.load(gate + i)));
    const z = lanes(sum) + load<f32>(gate, 4 * WIDTH);
    const e = exponential(-abs<f32>(z));
    const open = f32x4.splat(z >= 0 ? <f32>1 / (<f32>1 + e) : e / (<f32>1 + e));
    for (let i: usize = 0; i < 4 * WIDTH; i += 16)
      v128.store(MIXED + i, f32x4.add(v128.load(MIXED + i), f32x4.mul(open, v128.load(x + i))));
  }
  quantise(MIXED, QUANTISED, FACTORS, WIDTH);
  multiply(1, WIDTH, WIDTH, last, OUT, false, false);
}
