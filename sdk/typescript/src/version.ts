/** The version of this package, set by the build. */
export const version = '0.0.0'
