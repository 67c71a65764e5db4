import { connect } from './connect.js'
import { authorizationOf, type Credentials, fromEnvironment } from './credentials.js'
import { createClient as createClientV2 } from './v2/client/index.js'
import { V2 } from './v2.js'
import { createClient as createClientV3 } from './v3/client/index.js'
import { V3 } from './v3.js'

export interface CanvassOptions extends Credentials {
  /** The address of the service: `https://survey.example.org`. Default: CANVASS_URL in the environment. */
  baseUrl?: string
  /** The maximum number of retries after 429 or 503. Default: 3. */
  retries?: number
  /** The maximum delay before a retry in seconds. If `Retry-After` is longer, the error is thrown. Default: 60. */
  maxRetryDelay?: number
  /**
   * The maximum time in seconds until a response starts; then the attempt fails with a `TimeoutError`. Default: 60.
   * To limit the total time of a call, for example of an export, use its `signal`.
   */
  timeout?: number
  /** A custom `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
}

/**
 * A client for one Canvass service and one account. Operations are methods, named as in the reference:
 * `canvass.v3.listSurveys()`. Error responses are thrown as {@link CanvassError}.
 */
export class Canvass {
  /** Version 2 of the API. */
  readonly v2: V2
  /** Version 3 of the API. */
  readonly v3: V3

  /**
   * Creates a client. Credentials are an access token, or two of username, password and API key. Defaults are read from
   * the environment: CANVASS_URL, CANVASS_USERNAME, CANVASS_PASSWORD, CANVASS_API_KEY, CANVASS_TOKEN.
   * @throws TypeError if the address or the credentials are missing
   */
  constructor(options: CanvassOptions = {}) {
    const baseUrl = (options.baseUrl ?? fromEnvironment('CANVASS_URL'))?.replace(/\/+$/, '')
    if (!baseUrl) throw new TypeError('Set baseUrl, or CANVASS_URL in the environment, to the address of Canvass')
    const settings = { ...options, authorization: authorizationOf(options) }
    this.v2 = new V2(connect(createClientV2({ baseUrl: `${baseUrl}/api/v2` }), settings))
    this.v3 = new V3(connect(createClientV3({ baseUrl: `${baseUrl}/api/v3` }), settings))
  }
}
