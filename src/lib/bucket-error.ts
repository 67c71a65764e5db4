import { STATUS_CODES } from 'node:http'

/** A request to a bucket that failed. The message states the reason and what to do. */
export class BucketError extends Error {
  override name = 'BucketError'
  readonly reason: string
  /** What the operator has to do. */
  readonly mend: string
  /** Whether the object does not exist. */
  readonly isMissing: boolean

  constructor(reason: string, mend: string, isMissing = false) {
    super(`${reason} ${mend}`)
    this.reason = reason
    this.mend = mend
    this.isMissing = isMissing
  }
}

/** The members of the errors of the SDK and of Node.js that {@link explain} reads. */
interface Failure extends Error {
  /** The code of an error of the system, of TLS or of the HTTP parser, such as `ECONNREFUSED`. */
  code?: string
  /** The region of the bucket, if the service names it. */
  Region?: string
  $metadata?: { httpStatusCode?: number }
  $response?: { statusCode?: number; headers?: Record<string, string> }
}

/** What to do about an error code of S3. */
const MENDS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY.',
  ExpiredToken: 'Check AWS_SESSION_TOKEN; it has expired.',
  InvalidToken: 'Check AWS_SESSION_TOKEN.',
  RequestTimeTooSkewed: 'Set the clock of this machine, or of the store.',
  SlowDown: 'Check the limits of the store.',
  EntityTooLarge: 'Check the limits of the store.',
  InvalidBucketName: 'Check the name of the bucket.',
  BucketAlreadyExists: 'Check the name of the bucket.',
  NotImplemented: 'Set AWS_REQUEST_CHECKSUM_CALCULATION=when_required if the store does not know checksums.',
}

/** Error codes of a request that was signed for another region. */
const REGION_CODES = new Set([
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'IllegalLocationConstraintException',
])
const PERMISSIONS = 'Check that these credentials may put, get, list and delete objects of the bucket.'
const GENERAL_MEND = 'Check the bucket, its permissions, AWS_REGION and AWS_ENDPOINT_URL.'

/** What to do about an HTTP status whose reply has no error code of S3: often the reply of a proxy. */
const mendOf = (status: number): string => {
  if (status === 403) return PERMISSIONS
  if (status === 413)
    return 'Raise the limit of request bodies of the proxy in front of the store (nginx: client_max_body_size).'
  if (status >= 500) return 'Check the store and the proxy in front of it.'
  return 'Check AWS_ENDPOINT_URL, AWS_REGION and the bucket.'
}

/**
 * Returns an error that names the cause and what to do; an error that does not come from the service unchanged.
 * @param where the URL of the object or the bucket
 * @param profile the profile of AWS in the settings
 */
export function explain(error: unknown, where: string, profile?: string): unknown {
  const failure = error as Failure
  const { name, code = '' } = failure
  const status = failure.$metadata?.httpStatusCode ?? failure.$response?.statusCode
  if (name === 'NoSuchKey') return new BucketError(`${where} does not exist.`, 'Check the bucket and the key.', true)
  if (name === 'NoSuchBucket') return new BucketError(`${where}: there is no such bucket.`, 'Create it first.')
  // The condition of an upload failed.
  if (name === 'PreconditionFailed')
    return new BucketError(`${where} exists.`, 'Choose another name, or delete it first.')
  if (/^(Credentials|Token)ProviderError$/.test(name)) return credentialsError(failure, where, profile)
  if (status !== undefined)
    return new BucketError(`${where}: ${replyText(failure, status)}.`, replyMend(failure, status))
  // If a host has several addresses and none can be reached, the error has one error for each address.
  const isNetworkError = 'syscall' in failure || name === 'AggregateError' || name === 'TimeoutError'
  if (isNetworkError || code === 'ERR_INVALID_URL' || isTlsCode(code) || code.startsWith('HPE_'))
    return new BucketError(`${where}: ${networkText(failure)}.`, networkMend(failure, where))
  return error
}

/** Explains missing or expired credentials, and profiles that cannot be used. */
function credentialsError({ message }: Failure, where: string, profile: string | undefined): BucketError {
  if (/sso/i.test(message))
    return new BucketError(`${where}: ${sentence(message)}.`, 'Run "aws sso login", then start Canvass again.')
  if (profile)
    return new BucketError(
      `${where}: the profile ${profile} has no credentials (${sentence(message)}).`,
      'Check AWS_PROFILE and the files of the profile, in ~/.aws of the user of the server.',
    )
  return new BucketError(`${where}: there are no credentials.`, 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
}

/** Returns the message of the service with status and code. A reply without a code, such as HTML, has only the status. */
function replyText({ name, message, $response }: Failure, status: number): string {
  const phrase = `HTTP ${status}${STATUS_CODES[status] ? ` ${STATUS_CODES[status]}` : ''}`
  const location = $response?.headers?.location
  if (status >= 300 && status < 400 && location && name !== 'PermanentRedirect')
    return `the server redirects to ${location} (${phrase})`
  if (!isServiceCode(name) || /XML parse error|Deserialization error/i.test(message))
    return `${phrase}, without an error of S3 in the reply`
  return `${sentence(message || name)} (${phrase}, ${name})`
}

function replyMend({ name, message, Region, $response }: Failure, status: number): string {
  const region = Region ?? $response?.headers?.['x-amz-bucket-region'] ?? /expecting '([\w-]+)'/.exec(message)?.[1]
  if (REGION_CODES.has(name)) return region ? `Set AWS_REGION=${region}.` : 'Check AWS_REGION.'
  if (MENDS[name]) return MENDS[name]
  if (/access key/i.test(message)) return 'Check AWS_ACCESS_KEY_ID.'
  if (name === 'AccessDenied' || name === 'Forbidden') return PERMISSIONS
  return isServiceCode(name) && status < 500 ? GENERAL_MEND : mendOf(status)
}

/** Returns whether an error is named by the service. The SDK gives its own names to replies that it cannot read. */
const isServiceCode = (name: string) => !['UnknownError', 'Unknown', 'Error', 'SyntaxError', 'TypeError'].includes(name)

const isTlsCode = (code: string) => /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(SSL|TLS)|^EPROTO$/.test(code)

/** The messages of OpenSSL contain addresses and source files. */
const networkText = ({ code, message, name }: Failure) =>
  code === 'EPROTO' ? 'the server does not answer with TLS (EPROTO)' : sentence(message || code || name)

function networkMend({ code = '' }: Failure, where: string): string {
  if (/ALTNAME/.test(code)) return 'Set AWS_ENDPOINT_URL to a host name that is in the certificate of the store.'
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return 'Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that signed the certificate of the store.'
  if (isTlsCode(code) || code.startsWith('HPE_'))
    return 'Check whether AWS_ENDPOINT_URL must begin with http:// or https://.'
  if (code === 'ERR_INVALID_URL') return 'Set AWS_ENDPOINT_URL to a URL such as https://minio.example.org.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `Check AWS_ENDPOINT_URL. If the store has no host name for each bucket, set S3_ADDRESSING_STYLE=path. The bucket is ${/^s3:\/\/([^/]*)/.exec(where)?.[1]}.`
  return 'Check that the store runs, and AWS_ENDPOINT_URL.'
}

/** Returns a message on one line without its full stop. */
const sentence = (message: string) => message.trim().replace(/\s+/g, ' ').replace(/\.$/, '')
