import { renderSVG } from 'uqr'
import { problems } from '../../../domain/problem.ts'
import { surveyUrl } from '../../../domain/survey-address.ts'
import type { PageResult } from '../../page.ts'
import { renderPng } from '../../report/downloads.ts'
import type { SurveyRequest } from './survey-page.ts'

/**
 * Width of a module (one square of the QR code) in the SVG. The PNG is twice as large, so that it is sharp on an A4
 * poster.
 */
const MODULE_PIXELS = 16
/** The quiet zone that ISO/IEC 18004 requires around the symbol, in modules. */
const QUIET_ZONE_MODULES = 4

/**
 * Sends the QR code of a survey link as SVG or PNG, with 15 % error correction.
 * @throws {Problem} `survey_not_found` for any other format, `too_many_pictures`, `render_timeout`
 */
export async function showQrCode({ context, survey, params, query }: SurveyRequest): Promise<PageResult> {
  const { services } = context
  const format = params.file
  if (format !== 'qr-code.svg' && format !== 'qr-code.png') throw problems.surveyNotFound()
  const address = surveyUrl(services.baseUrl, { username: survey.creator.username, slug: survey.slug })
  const svg = renderSVG(address, { ecc: 'M', border: QUIET_ZONE_MODULES, pixelSize: MODULE_PIXELS })
  const name = query.has('download') ? { name: `${survey.slug}-${format}` } : {}
  if (format === 'qr-code.svg') return { file: svg, type: 'image/svg+xml', ...name }
  return { file: await renderPng(services, svg), type: 'image/png', ...name }
}
