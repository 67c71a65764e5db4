import type { operations as V2 } from '../../generated/v2/types.ts'
import type { operations as V3 } from '../../generated/v3/types.ts'

/** An operation of a contract, or what is answered outside of both. */
export type Operation = `v2.${keyof V2 & string}` | `v3.${keyof V3 & string}` | 'oauth' | 'page' | 'event'

/**
 * A line of the specification, what answers it, and the tests that prove it, each as the beginning of
 * `<file> › <describe> › <title>`, the file without its ending.
 */
export type Row = readonly [line: string, operations: readonly Operation[], ...tests: string[]]

/** A section of the specification with its lines. */
export interface Section {
  title: string
  rows: readonly Row[]
}
