import { createHmac } from 'node:crypto'
import { seal, unseal } from '../../lib/secrets.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import { isServiceParameter } from '../structure/reserved-ids.ts'

/** How a respondent of a panel ends. */
export const PANEL_OUTCOMES = ['complete', 'screened_out', 'quota_full'] as const
export type PanelOutcome = (typeof PANEL_OUTCOMES)[number]

/** Where the respondents of a panel return from a collector (docs/specification.md 5.7). */
export type PanelReturn = Record<PanelOutcome, string | null> & {
  /** The query parameter of the survey's address that has the respondent's ID at the panel. */
  parameter: string
  /** The query parameter that has the signature. */
  signature_parameter: string
  /** Sealed; null: addresses are not signed. */
  secret_encrypted: string | null
}

/** A change of a {@link PanelReturn}. Absent members are not changed; null and '' remove an address. */
export interface PanelReturnChange extends Partial<Record<PanelOutcome, string | null | undefined>> {
  /** Null keeps the parameter: a collector without a panel has none. */
  parameter?: string | null | undefined
  signature_parameter?: string | undefined
}

export const DEFAULT_SIGNATURE_PARAMETER = 'signature'
const DEFAULT_PARAMETER = 'pid'
/** A panel without addresses. */
const NEW_PANEL: PanelReturn = {
  parameter: DEFAULT_PARAMETER,
  ...{ complete: null, screened_out: null, quota_full: null },
  signature_parameter: DEFAULT_SIGNATURE_PARAMETER,
  secret_encrypted: null,
}
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/
const MAX_ADDRESS_CHARACTERS = 2_000
/** Longer IDs are not returned. */
export const MAX_RESPONDENT_ID_CHARACTERS = 200
const SEAL_PURPOSE = 'secret of panel return links'

/** The placeholder for the respondent's ID, as it is written in an address, and as a URL parser encodes it. */
const PLACEHOLDER = /(?:\{|%7B){2}(?:\s|%20|\+)*respondent_id(?:\s|%20|\+)*(?:\}|%7D){2}/gi
const WRITTEN = '{{ respondent_id }}'

/**
 * Applies a change.
 * @returns null if there was no panel, and the change contains none: it is the reply about a collector without a panel
 * @throws {Problem} `invalid_request` with one error per invalid member
 */
export function parsePanelReturn(before: PanelReturn | null, change: PanelReturnChange): PanelReturn | null {
  const contains = (change.parameter ?? '') !== '' || PANEL_OUTCOMES.some((outcome) => (change[outcome] ?? '') !== '')
  if (
    !before &&
    !contains &&
    (change.signature_parameter ?? DEFAULT_SIGNATURE_PARAMETER) === DEFAULT_SIGNATURE_PARAMETER
  )
    return null
  const errors: FieldError[] = []
  const { parameter, signature_parameter } = change
  const base = before ?? NEW_PANEL
  const after: PanelReturn = {
    ...base,
    parameter: nameOf(errors, 'parameter', parameter ?? base.parameter),
    signature_parameter: nameOf(errors, 'signature_parameter', signature_parameter ?? base.signature_parameter),
  }
  for (const outcome of PANEL_OUTCOMES) {
    const entered = change[outcome]
    const isRemoved = entered === null || entered?.trim() === ''
    const address = entered === undefined ? after[outcome] : isRemoved ? null : addressOf(entered!)
    if (address !== undefined) after[outcome] = address
    if (address === undefined) errors.push(fieldError(outcome, 'url_not_allowed', {}, detail('panel_address')))
    else if (address && new URL(address).searchParams.has(after.signature_parameter))
      errors.push(fieldError(outcome, 'url_not_allowed', {}, detail('panel_signature_parameter')))
  }
  if (errors.length) throw problems.invalid(errors)
  return after
}

function nameOf(errors: FieldError[], field: string, name: string): string {
  if (!PARAMETER_NAME.test(name) || isServiceParameter(name))
    errors.push(fieldError(field, 'invalid_setting', {}, detail('parameter_name')))
  return name
}

/**
 * Parses an address: HTTPS, without credentials and fragment, with the placeholder in its query and nowhere else.
 * Therefore nothing that a respondent sends can change the host or the path.
 * @returns undefined for any other text
 */
function addressOf(entered: string): string | undefined {
  const text = entered.trim()
  if (text.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const { protocol, username, password, hash, search } = url
  const address = url.href.replace(PLACEHOLDER, WRITTEN)
  const rest = address.replaceAll(WRITTEN, '')
  const isAllowed =
    protocol === 'https:' &&
    !username &&
    !password &&
    hash === '' &&
    !url.href.endsWith('#') &&
    !/[{}]|%7[BD]/i.test(rest)
  const [beforeQuery] = address.split('?')
  return isAllowed && search.replace(PLACEHOLDER, WRITTEN).includes(WRITTEN) && !beforeQuery!.includes(WRITTEN)
    ? address
    : undefined
}

/** Returns a panel with a new secret. */
export const withSecret = ({ secretKey }: Pick<Services, 'secretKey'>, panel: PanelReturn | null, secret: string) => ({
  ...(panel ?? NEW_PANEL),
  secret_encrypted: seal(secretKey, SEAL_PURPOSE, secret),
})

/**
 * Returns the address to which a respondent returns, with the encoded ID and the signature: the HMAC-SHA256 of the
 * address before the signature, with the secret as text, in hexadecimal.
 * @returns undefined if the panel has no address for the outcome, or if the secret cannot be read, because the secret key
 *   of the installation was replaced: an address without signature would pass for a signed one
 */
export function returnAddress(
  { secretKey }: Pick<Services, 'secretKey'>,
  panel: PanelReturn,
  outcome: PanelOutcome,
  respondentId: string,
): string | undefined {
  const address = panel[outcome]
  if (address === null) return undefined
  // The parser encodes what browsers would encode, so that the panel receives exactly the text that is signed.
  const { href } = new URL(address.replaceAll(WRITTEN, encodeURIComponent(respondentId)))
  if (panel.secret_encrypted === null) return href
  const secret = unseal(secretKey, SEAL_PURPOSE, panel.secret_encrypted)
  if (secret === undefined) return undefined
  return `${href}&${panel.signature_parameter}=${createHmac('sha256', secret).update(href).digest('hex')}`
}

/** Returns the hosts to which the respondents of a panel return. */
export const panelHostsOf = (panel: PanelReturn | null): string[] => [
  ...new Set(PANEL_OUTCOMES.flatMap((outcome) => (panel?.[outcome] ? [new URL(panel[outcome]).host] : []))),
]
