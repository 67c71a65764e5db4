import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import { NO_STATEMENT_LIMIT } from '../db/orm.ts'
import { connectionTo, DatabaseClient } from '../lib/postgres-client.ts'
import { encrypt } from './encryption.ts'
import type { BackupHeader, Manifest } from './format.ts'
import { readBackup } from './read.ts'
import type { BackupLocation } from './store.ts'
import { type Progress, type WriteOptions, writeBackup } from './write.ts'

/** The contents of a verified backup. */
export interface BackupSummary {
  header: BackupHeader
  rows: number
  /** Size of the file in bytes. */
  bytes: number
}

/**
 * Backs up a database while it is in use. The memory that the backup takes does not grow with the database.
 * @param passphrase encrypts the backup; undefined: not encrypted
 * @throws {BackupError} when the backup cannot be written
 */
export async function createBackup(
  url: string,
  { store, name }: BackupLocation,
  options: WriteOptions & { passphrase: string | undefined },
): Promise<void> {
  const client = new DatabaseClient(connectionTo(url, { ...NO_STATEMENT_LIMIT, application_name: 'canvass-backup' }))
  await client.connect()
  try {
    const archive = pack()
    const source = Readable.from(archive as AsyncIterable<Buffer>, { objectMode: false })
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    const compressed = pipeline(source, compress, () => undefined)
    const content = options.passphrase === undefined ? compressed : await encrypt(compressed, options.passphrase)
    const storing = store.write(name, content)
    const writing = writeBackup(client, url, archive, options).catch((error) => {
      content.destroy(error)
      throw error
    })
    try {
      await Promise.all([writing, storing])
    } catch (error) {
      // Waits until the incomplete file is deleted. If the store has failed, its error is the reason of the other.
      await storing
      throw error
    }
  } finally {
    // Closing the connection also ends a COPY that is still running.
    client.abandon()
  }
}

/**
 * Reads a whole backup and verifies it.
 * @throws {BackupError} as `readBackup` does
 */
export async function verifyBackup(
  { store, name }: BackupLocation,
  passphrase: () => Promise<string>,
  progress: Progress = () => undefined,
): Promise<BackupSummary> {
  let header: BackupHeader | undefined
  let manifest: Manifest | undefined
  let bytes = 0
  let index = 0
  const source = await store.read(name)
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  source.pause()
  let current: string | undefined
  for await (const item of readBackup(source, store.locate(name), passphrase)) {
    if (item.kind === 'header') header = item.header
    if (item.kind === 'manifest') manifest = item.manifest
    if (item.kind === 'rows' && item.table !== current) {
      current = item.table
      index = header!.tables.findIndex((table) => table.name === current)
      progress(index, header!.tables.length, 0)
    }
  }
  const rows = Object.values(manifest!.tables).reduce((sum, table) => sum + table.rows, 0)
  return { header: header!, rows, bytes }
}
