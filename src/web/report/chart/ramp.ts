/** Number of fills from light to dark in the style sheet: `r0` to `r8`. */
const STEPS = 9
/** The last step with a light fill, on which the text is dark. */
const LAST_LOW = 4

/** Returns the step for one of `count` ordered fills. The first fill is the lightest. */
export const stepOf = (index: number, count: number): number =>
  count < 2 ? STEPS - 3 : Math.round((index * (STEPS - 1)) / (count - 1))

/** Returns the CSS classes of a fill and of the text on the fill. */
export const fillOf = (index: number, count: number): { fill: string; text: string } => {
  const step = stepOf(index, count)
  return { fill: `part r${step}`, text: step <= LAST_LOW ? 'low' : 'high' }
}
