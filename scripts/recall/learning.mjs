// Listwise logistic regression: which weights make the answers to each question most likely to be drawn first.

/** Steps of Adam. Twice as many change no weight by more than a few hundredths. */
const steps = 500;
const rate = 0.05;

/**
 * The questions as one array of numbers, for speed. Questions without an answer among their hits teach nothing and are left out.
 * `rowsOf`: the hits of a question, each with its features `x` and whether it answers.
 */
function flattened(questions, rowsOf, size) {
  const usable = questions.map(rowsOf).filter((rows) => rows.some(({ answers }) => answers));
  const total = usable.reduce((sum, rows) => sum + rows.length, 0);
  const x = new Float64Array(total * size);
  const answers = new Uint8Array(total);
  const ends = [];
  let at = 0;
  for (const rows of usable) {
    for (const row of rows) {
      x.set(row.x, at * size);
      answers[at++] = row.answers ? 1 : 0;
    }
    ends.push(at);
  }
  return { x, answers, ends, total };
}

/**
 * The weights with the least negative logarithm of the answers' share of the total, plus a penalty on the distance from `near`, where
 * undefined keeps a weight at 0.
 */
export function learn(questions, rowsOf, near, penalty) {
  const size = near.length;
  const { x, answers, ends, total } = flattened(questions, rowsOf, size);
  const weights = Float64Array.from(near, (weight) => weight ?? 0);
  const [mean, square, slope] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const shares = new Float64Array(total);
  for (let step = 1; step <= steps; step++) {
    slope.fill(0);
    let from = 0;
    for (const end of ends) {
      addSlope({ x, answers, shares, weights, slope }, from, end);
      from = end;
    }
    for (let k = 0; k < size; k++) {
      if (near[k] === undefined) continue;
      const g = slope[k] / ends.length + penalty * (weights[k] - near[k]);
      mean[k] = 0.9 * mean[k] + 0.1 * g;
      square[k] = 0.999 * square[k] + 0.001 * g * g;
      weights[k] -= (rate * (mean[k] / (1 - 0.9 ** step))) / (Math.sqrt(square[k] / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return weights;
}

/** Adds the slope of one question, whose hits are the rows `from` to `end`. */
function addSlope({ x, answers, shares, weights, slope }, from, end) {
  const size = weights.length;
  let most = Number.NEGATIVE_INFINITY;
  for (let row = from; row < end; row++) {
    let score = 0;
    for (let k = 0, i = row * size; k < size; k++, i++) score += x[i] * weights[k];
    shares[row] = score;
    if (score > most) most = score;
  }
  let all = 0;
  let right = 0;
  for (let row = from; row < end; row++) {
    const share = Math.exp(shares[row] - most);
    shares[row] = share;
    all += share;
    if (answers[row] === 1) right += share;
  }
  right ||= 1e-300;
  for (let row = from; row < end; row++) {
    const pull = shares[row] / all - (answers[row] === 1 ? shares[row] / right : 0);
    for (let k = 0, i = row * size; k < size; k++, i++) slope[k] += pull * x[i];
  }
}

/** The shares of questions with an answer among the first of each number. `weightsOf`: the weights that rank a question. */
export function figures(questions, rowsOf, weightsOf, numbers) {
  const sums = numbers.map(() => 0);
  for (const question of questions) {
    const weights = weightsOf(question);
    const rows = rowsOf(question)
      .map(({ x, answers }) => ({ answers, score: x.reduce((sum, value, i) => sum + value * weights[i], 0) }))
      .sort((a, b) => b.score - a.score);
    for (const [i, number] of numbers.entries()) sums[i] += rows.slice(0, number).some(({ answers }) => answers);
  }
  return sums.map((sum) => (sum / questions.length).toFixed(3).replace(/^0/, '')).join(' / ');
}
