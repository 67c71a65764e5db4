import { connect } from './connect.js'
import { authorizationOf, type Credentials, fromEnvironment } from './credentials.js'
import { createClient as createClientV2 } from './v2/client/index.js'
import { V2 } from './v2.js'
import { createClient as createClientV3 } from './v3/client/index.js'
import { V3 } from './v3.js'

export interface CanvassOptions extends Credentials {
  /** Where the service is, as `https://survey.example.org`; CANVASS_URL in the environment when absent. */
  baseUrl?: string
  /** Tries after the first one when the service answers 429 or 503; 3 when absent, 0 for none. */
  retries?: number
  /** The longest wait between two tries, in seconds; 60 when absent. Who is told to wait longer gets the error. */
  longestWait?: number
  /**
   * Seconds until an answer has to begin, 60 when absent: then a try fails with a `TimeoutError`. How long the rest may
   * take, an export for instance, is said for one call, by its `signal`.
   */
  timeout?: number
  /** Another `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
}

/**
 * A connection to one Canvass, as one account. Operations are methods, named as in the reference:
 * `canvass.v3.listSurveys()`. A refusal is thrown as a {@link CanvassError}.
 */
export class Canvass {
  /** Version 2 of the interface. */
  readonly v2: V2
  /** Version 3 of the interface. */
  readonly v3: V3

  /**
   * Credentials are an access token, or two of user name, password and API key. What is not given is looked for in the
   * environment: CANVASS_URL, CANVASS_USERNAME, CANVASS_PASSWORD, CANVASS_API_KEY, CANVASS_TOKEN.
   * @throws TypeError when neither says where the service is, or who is calling
   */
  constructor(options: CanvassOptions = {}) {
    const baseUrl = (options.baseUrl ?? fromEnvironment('CANVASS_URL'))?.replace(/\/+$/, '')
    if (!baseUrl) throw new TypeError('Say where Canvass is: baseUrl, or CANVASS_URL in the environment')
    const settings = { ...options, authorization: authorizationOf(options) }
    this.v2 = new V2(connect(createClientV2({ baseUrl: `${baseUrl}/api/v2` }), settings))
    this.v3 = new V3(connect(createClientV3({ baseUrl: `${baseUrl}/api/v3` }), settings))
  }
}
