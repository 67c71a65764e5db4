/** Of this package; the build writes it. */
export const version = '0.0.0'
