import type { operations as V2 } from '../../generated/v2/types.ts'
import type { operations as V3 } from '../../generated/v3/types.ts'

/** An operation of a contract, or a part of the service that no contract describes. */
export type Operation = `v2.${keyof V2 & string}` | `v3.${keyof V3 & string}` | 'oauth' | 'page' | 'event'

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
