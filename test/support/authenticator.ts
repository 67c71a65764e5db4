import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** What a test changes in a reply. */
export interface Forgery {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  isVerified?: boolean
  isPresent?: boolean
  counter?: number
  userHandle?: string | null
  /** The ID of another credential. */
  id?: string
  /** Certificates in the attestation, as a member of its statement. */
  certificates?: boolean
}

interface Options {
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
  challenge: string
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const head = (major: number, length: number) =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])

/** An authenticator with one ES256 key (Web Authentication), for tests without a browser. */
export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = randomBytes(16).toString('base64url')
  readonly #origin: string
  #userHandle = ''
  #counter = 0

  /** @param origin of the pages that use it */
  constructor(origin: string) {
    this.#origin = origin
  }

  #data(options: Options, { rpId, isVerified = true, isPresent = true, counter }: Forgery, attested = Buffer.alloc(0)) {
    this.#counter += 1
    const number = Buffer.alloc(4)
    number.writeUInt32BE(counter ?? this.#counter)
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (attested.length ? 0x40 : 0)
    return Buffer.concat([sha256(rpId ?? options.rpId ?? options.rp!.id), Buffer.from([flags]), number, attested])
  }

  #client(options: Options, { origin, challenge, type }: Forgery, own: string) {
    return Buffer.from(
      JSON.stringify({
        type: type ?? own,
        challenge: challenge ?? options.challenge,
        origin: origin ?? this.#origin,
        crossOrigin: false,
      }),
    )
  }

  /** Creates the credential. @returns the reply as JSON */
  create(options: Options, forgery: Forgery = {}): string {
    this.#userHandle = options.user!.id
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = Buffer.concat([
      Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
      bytes(Buffer.from(x!, 'base64url')),
      Buffer.from([0x22]),
      bytes(Buffer.from(y!, 'base64url')),
    ])
    const id = Buffer.from(this.id, 'base64url')
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
    const statement = forgery.certificates
      ? Buffer.concat([head(5, 1), text('x5c'), head(4, 1), bytes(Buffer.from('certificate'))])
      : head(5, 0)
    const attestationObject = Buffer.concat([
      head(5, 3),
      ...[text('fmt'), text(forgery.certificates ? 'packed' : 'none')],
      ...[text('attStmt'), statement],
      ...[text('authData'), bytes(this.#data(options, forgery, attested))],
    ])
    return this.#reply({
      clientDataJSON: this.#client(options, forgery, 'webauthn.create').toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Signs a challenge. @returns the reply as JSON */
  get(options: Options, forgery: Forgery = {}): string {
    const data = this.#data(options, forgery)
    const client = this.#client(options, forgery, 'webauthn.get')
    const signed = Buffer.concat([data, sha256(client)])
    const userHandle = forgery.userHandle === undefined ? this.#userHandle : forgery.userHandle
    return this.#reply(
      {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(this.#keys.privateKey).toString('base64url'),
        ...(userHandle !== null && { userHandle }),
      },
      forgery.id,
    )
  }

  #reply(response: object, id = this.id): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }
}
