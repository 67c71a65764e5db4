/** Writes a number in decimal notation without an exponent: `0.0000001` for 1e-7. */
export function plainNumber(number: number): string {
  const text = String(number)
  const [, sign, first, more = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = `${first}${more}`
  return Number(exponent) < 0
    ? `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits}`
    : sign + digits.padEnd(Number(exponent) + 1, '0')
}
