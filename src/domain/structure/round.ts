/** Number of significant digits of scores and calculations. Sums of binary fractions are exact to more digits. */
const SIGNIFICANT_DIGITS = 12

/** Rounds a number to 12 significant digits, so that 0.1 and 0.2 add up to 0.3. */
export const roundSignificant = (value: number): number => Number(value.toPrecision(SIGNIFICANT_DIGITS))

/**
 * Rounds a number to decimal places as people do: half away from zero, and by its decimal digits, so that 1.005 becomes
 * 1.01 although the nearest binary fraction is smaller.
 */
export function roundDecimal(value: number, decimals: number): number {
  const [digits, exponent] = Math.abs(value)
    .toExponential(SIGNIFICANT_DIGITS - 1)
    .split('e') as [string, string]
  const shift = Number(exponent) + decimals
  // All significant digits are before the decimal place.
  if (shift >= SIGNIFICANT_DIGITS) return roundSignificant(value)
  const rounded = Number(`${Math.round(Number(`${digits}e${shift}`))}e-${decimals}`)
  // Avoids a negative zero.
  return rounded === 0 ? 0 : Math.sign(value) * rounded
}
