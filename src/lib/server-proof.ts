import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The request header with which `canvass doctor` asks a server how requests to {@link DOCTOR_PATH} arrive. */
export const CHALLENGE_HEADER = 'x-canvass-doctor'

/** The path of the requests of `canvass doctor`, and of those below it. */
export const DOCTOR_PATH = '/healthz'

/** How a request arrived at the server, after all proxies. */
export interface Arrival {
  /** Proves that the server has the same secret key. */
  proof: string
  version: string
  /** The value of `X-Forwarded-For`. */
  forwardedFor: string
  /** The value of `X-Forwarded-Proto`. */
  forwardedProto: string
  /** The value of `Host`. */
  host: string
  /** The value of `X-Forwarded-Prefix`. */
  forwardedPrefix: string
  /** The address for which the server counts the request. */
  address: string
  /** For example `1.1`. */
  httpVersion: string
  /** The path and query of the request, before the path of the base URL is removed. */
  url: string
  /** The length of the body in bytes. */
  bodyBytes: number
}

const mac = (secretKey: Buffer, text: string): string =>
  createHmac('sha256', secretKey).update(`canvass doctor ${text}`).digest('hex')

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Creates a challenge, which only someone with the secret key can create and answer. */
export function createChallenge(secretKey: Buffer): string {
  const nonce = randomBytes(16).toString('hex')
  return `${nonce}.${mac(secretKey, `request ${nonce}`)}`
}

/** Returns whether a challenge was created with this secret key. */
export function isGenuineChallenge(secretKey: Buffer, challenge: string): boolean {
  const [nonce = '', signature = ''] = challenge.split('.')
  return isSame(signature, mac(secretKey, `request ${nonce}`))
}

/** Returns the proof that answers a challenge. */
export const proofOf = (secretKey: Buffer, challenge: string): string => mac(secretKey, `reply ${challenge}`)

/** Returns whether a proof answers a challenge. */
export const isProof = (secretKey: Buffer, challenge: string, proof: unknown): boolean =>
  typeof proof === 'string' && isSame(proof, proofOf(secretKey, challenge))
