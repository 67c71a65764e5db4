/**
 * An operation of a contract (`v3.getSurvey`), or a part of the service that no contract describes.
 * scripts/conformance.ts checks that the operation exists.
 */
export type Operation = `v${number}.${string}` | 'oauth' | 'page' | 'event'

/**
 * A requirement, the operations that implement it, and the tests that cover it. A test is the beginning of
 * `<file> › <describe> › <title>`, the file without `.test.ts`.
 */
export type Row = readonly [requirement: string, operations: readonly Operation[], ...tests: string[]]

/** The requirements of a section of docs/specification.md. */
export interface Section {
  /** The number of the section, such as `'7.3'`. */
  section: string
  rows: readonly Row[]
}
