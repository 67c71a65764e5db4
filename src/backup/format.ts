/**
 * The format of a backup: a tar archive, compressed with Zstandard and optionally encrypted with age, so that `age`,
 * `zstd` and `tar` can open it. Its entries, in this order:
 *
 * - `backup.json`: the {@link BackupHeader}
 * - `secret-key`: the secret key, unless it was left out
 * - `data/<schema>.<table>/<number>.copy`: the rows of a table as text of `COPY`, in parts
 * - `manifest.json`: the {@link Manifest}; a backup without it is incomplete
 */
export const FORMAT_VERSION = 1
export const HEADER_ENTRY = 'backup.json'
export const SECRET_KEY_ENTRY = 'secret-key'
export const MANIFEST_ENTRY = 'manifest.json'

/** Size of a part of a table in bytes. */
export const PART_BYTES = 1024 * 1024

/** A table and its stored columns. Generated columns are not stored, because the restore computes them. */
export interface TableColumns {
  /** `schema.table`, unquoted. */
  name: string
  columns: string[]
}

export interface BackupHeader {
  format: 'canvass-backup'
  formatVersion: number
  programVersion: string
  createdAt: string
  /** Version of PostgreSQL, for example `18.4`. */
  postgresql: string
  /** Names of the migrations of the schema. */
  migrations: string[]
  secretKey: {
    /** Identifies the key without revealing it; absent: the key was unknown. */
    fingerprint?: string
    included: boolean
  }
  tables: TableColumns[]
}

/** The rows that were read from one table. */
export interface TableSummary {
  rows: number
  bytes: number
  /** SHA-256 of the rows as text of `COPY`, in hexadecimal. */
  sha256: string
}

export interface Manifest {
  tables: Record<string, TableSummary>
  /** The state of each sequence, read after the rows. */
  sequences: { name: string; lastValue: string; isCalled: boolean }[]
}

/** Returns the name of a part of a table. @param part counted from 1 */
export const partEntry = (table: string, part: number): string =>
  `data/${encodeURIComponent(table)}/${String(part).padStart(8, '0')}.copy`

/** Returns the table of a part, or undefined for another entry. */
export function tableOf(entry: string): string | undefined {
  const [, table] = /^data\/([^/]+)\/\d{8,}\.copy$/.exec(entry) ?? []
  return table && decodeURIComponent(table)
}
