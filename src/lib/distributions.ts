/** Probabilities of the distributions that tests of significance use. Their relative error is below 1e-9. */

const MAX_ITERATIONS = 1_000
const PRECISION = 1e-15
const TINY = 1e-300

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

/** Returns the natural logarithm of the gamma function of a positive number (Lanczos, g = 7). */
function logGamma(x: number): number {
  const shifted = x - 1
  const t = shifted + 7.5
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + (index === 0 ? coefficient : coefficient / (shifted + index)),
    0,
  )
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum)
}

/** Returns the regularised upper incomplete gamma function Q(a, x): by its series below a + 1, else by its fraction. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a))
  if (x < a + 1) {
    let [term, sum] = [1 / a, 1 / a]
    for (let n = 1; n < MAX_ITERATIONS * 10 && Math.abs(term) > Math.abs(sum) * PRECISION; n += 1) {
      term *= x / (a + n)
      sum += term
    }
    return Math.max(0, 1 - sum * scale)
  }
  let b = x + 1 - a
  let c = 1 / TINY
  let d = 1 / b
  let fraction = d
  for (let n = 1; n < MAX_ITERATIONS * 10; n += 1) {
    const factor = -n * (n - a)
    b += 2
    d = 1 / nonZero(factor * d + b)
    c = nonZero(b + factor / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < PRECISION) break
  }
  return scale * fraction
}

const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value)

/** Returns the regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz). */
function betaRatio(a: number, b: number, x: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - betaRatio(b, a, 1 - x)
  const scale = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m < MAX_ITERATIONS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < PRECISION) break
  }
  return scale * fraction
}

/** Returns the probability that a chi-square variable exceeds a value. */
export const chiSquareTail = (value: number, degrees: number): number => upperGamma(degrees / 2, value / 2)

/** Returns the probability that a standard normal variable is at least as far from 0 as z. */
export const normalTails = (z: number): number => upperGamma(0.5, (z * z) / 2)

/** Returns the probability that a variable of Student's t distribution is at least as far from 0 as t. */
export const studentTails = (t: number, degrees: number): number =>
  betaRatio(degrees / 2, 0.5, degrees / (degrees + t * t))

/** Returns the distance from 0 that a standard normal variable exceeds with a probability, on both sides together. */
export const normalLimit = (probability: number): number => limitOf(normalTails, probability)

/** Returns the distance from 0 that Student's t exceeds with a probability, on both sides together. */
export const studentLimit = (probability: number, degrees: number): number =>
  limitOf((t) => studentTails(t, degrees), probability)

/** Finds by bisection where a falling function has a value. */
function limitOf(tails: (distance: number) => number, probability: number): number {
  let [low, high] = [0, 1]
  while (tails(high) > probability && high < 1e15) [low, high] = [high, high * 2]
  for (let step = 0; step < 60 && high - low > 1e-13 * high; step += 1) {
    const middle = (low + high) / 2
    if (tails(middle) > probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}
