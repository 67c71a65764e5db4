import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError } from './error.ts'

/** The first bytes of a file that is encrypted with age. */
const AGE_MAGIC = 'age-encryption.org/v1'

/** Minimum length of a passphrase in characters. A shorter passphrase can be guessed. */
export const MIN_PASSPHRASE_CHARACTERS = 12

const web = (stream: Readable) => Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>
const node = (stream: unknown) => Readable.fromWeb(stream as ReadableStream)

/** Returns whether bytes begin a file that is encrypted with age. */
export const isEncrypted = (start: Buffer): boolean =>
  start.subarray(0, AGE_MAGIC.length).toString('latin1') === AGE_MAGIC

/**
 * Encrypts a stream with a passphrase, in the format of `age --passphrase`.
 * @throws {BackupError} when the passphrase is too short
 */
export async function encrypt(stream: Readable, passphrase: string): Promise<Readable> {
  if (passphrase.length < MIN_PASSPHRASE_CHARACTERS)
    throw new BackupError(`The passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters.`)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return node(await encrypter.encrypt(web(stream)))
}

/**
 * Decrypts a stream.
 * @throws {BackupError} when the passphrase is wrong
 */
export async function decrypt(stream: Readable, passphrase: string): Promise<Readable> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return node(await decrypter.decrypt(web(stream)))
  } catch (error) {
    if (!/no identity matched/.test((error as Error).message)) throw error
    throw new BackupError('The passphrase is wrong. Set BACKUP_PASSPHRASE to the passphrase of this backup.')
  }
}
