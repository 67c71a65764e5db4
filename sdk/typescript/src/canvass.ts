import { authorizationOf, type Credentials, fromEnvironment } from './credentials.js'
import type { ClientOptions } from './options.js'
import { Transport } from './transport.js'
import { apiVersion as apiVersion2 } from './v2/operations.gen.js'
import { V2 } from './v2.js'
import { apiVersion as apiVersion3 } from './v3/operations.gen.js'
import { V3 } from './v3.js'

export interface CanvassOptions extends Credentials, ClientOptions {
  /** The address of the service: `https://survey.example.org`. Default: CANVASS_URL in the environment. */
  baseUrl?: string
}

/**
 * A client for one Canvass service and one account. Each operation is a method with the name in the API reference, such
 * as `canvass.v3.listSurveys()`. The same method is also in the group of its resource: `canvass.v3.surveys.list()`. If
 * a call fails, it throws a {@link CanvassError}.
 */
export class Canvass {
  /** Version 2 of the API. */
  readonly v2: V2
  /** Version 3 of the API. */
  readonly v3: V3

  /**
   * Creates a client. The credentials are an access token, or any two of username, password and API key. If `baseUrl`
   * is missing, it is read from the environment variable CANVASS_URL. If all credentials are missing, they are read
   * from CANVASS_USERNAME, CANVASS_PASSWORD, CANVASS_API_KEY and CANVASS_TOKEN.
   * @throws TypeError if the address or the credentials are missing
   */
  constructor(options: CanvassOptions = {}) {
    const baseUrl = (options.baseUrl ?? fromEnvironment('CANVASS_URL'))?.replace(/\/+$/, '')
    if (!baseUrl) throw new TypeError('Set baseUrl, or CANVASS_URL in the environment, to the address of Canvass')
    const authorization = authorizationOf(options)
    this.v2 = new V2(new Transport(`${baseUrl}/api/v2`, apiVersion2, authorization, options))
    this.v3 = new V3(new Transport(`${baseUrl}/api/v3`, apiVersion3, authorization, options))
  }
}
