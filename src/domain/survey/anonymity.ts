import { typeOf } from '../../questions/index.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { isImage, isUploadedImage } from '../structure/choice-image.ts'
import type { PersonalColumn } from '../structure/meta-fields.ts'
import { outline } from '../structure/outline.ts'
import { optionOf, settingOf } from '../structure/setting.ts'
import type { Structure } from '../structure/structure.ts'
import { membersOf, pageNodes } from '../structure/walk.ts'
import type { Tables } from '../tables.ts'
import type { SurveySnapshot } from './snapshot.ts'
import type { Survey } from './survey.ts'

/** Columns of a response that identify the respondent, with the values that erase them (docs/specification.md 13.3). */
export const ERASED_IDENTITY = {
  username: '',
  ip_address: '',
  get_variables: null,
  referrer: null,
  invite_code: null,
  invite_email: null,
  invite_name: null,
} as const satisfies Record<PersonalColumn, '' | null>

const HOUR_MS = 3_600_000

/** Truncates a time to its hour (UTC). The times of anonymous responses are stored with this precision. */
export const truncateToHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

/** Returns whether the responses of a collector are anonymous. */
export const isAnonymousCollector = ({ collectors }: SurveySnapshot, collectorId: number): boolean =>
  collectors.get(collectorId)?.settings.anonymous === true

/** Returns whether a survey, or one of its collectors, is anonymous. */
export async function isAnonymousSurvey({ em }: Pick<PublicContext, 'em'>, id: number): Promise<boolean> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .leftJoin('collector', 'collector.survey_id', 'survey.id')
    .select(['survey.settings as own', 'collector.settings as overridden'])
    .where('survey.id', '=', id)
    .execute()
  return rows.some(({ own, overridden }) => own.anonymous || overridden?.anonymous === true)
}

/** Maximum number of images that an error names. */
const MAX_ERRORS = 100

/**
 * Checks that browsers load all images of an anonymous survey from this service. Another host would learn the network
 * address of the respondent, the time, and, from images that depend on an answer, the answer.
 * @param known a stored structure, whose external images are accepted
 * @throws {Problem} `invalid_structure`, each error with a JSON pointer
 */
export async function checkImages(
  context: Context,
  survey: Pick<Survey, 'id'>,
  structure: Structure,
  known?: Structure,
): Promise<void> {
  const accepted = new Set(known && externalImages(known).map(({ url }) => url))
  const external = externalImages(structure).filter(({ url }) => !accepted.has(url))
  if (external.length === 0 || !(await isAnonymousSurvey(context, survey.id))) return
  throw problems.invalidStructure(
    external.slice(0, MAX_ERRORS).map(({ pointer }) => fieldError(pointer, 'external_image')),
  )
}

/**
 * Checks that a survey, or one of its collectors, can become anonymous.
 * @param field the member of the request that turns anonymity on
 * @throws {Problem} `invalid_request` with one error for each image on another website
 */
export async function checkAnonymizable({ em }: Context, survey: Survey, field: string): Promise<void> {
  await em.populate(survey, ['structure'])
  const errors = externalImages(survey.structure)
    .slice(0, MAX_ERRORS)
    .map(({ pointer, question, number }) =>
      fieldError(field, 'external_image', { pointer }, detail('external_image_of', { question, number })),
    )
  if (errors.length) throw problems.invalid(errors)
}

/** An image of a choice that browsers load from another website. */
interface ExternalImage {
  url: string
  /** JSON pointer of the URL. */
  pointer: string
  /** Title of the question in the default language. */
  question: string
  /** Number of the choice, counted from 1. */
  number: number
}

/** Returns the images of a structure that are not uploaded to this service. */
function externalImages({ form, languages }: Pick<Structure, 'form' | 'languages'>): ExternalImage[] {
  const code = languages.find(({ isDefault }) => isDefault)?.code ?? ''
  return outline(pageNodes(form)).flatMap(({ source, kind, pointer }) => {
    if (!typeOf(kind)?.withImages) return []
    const list = optionOf(source)?.choices === undefined ? `${pointer}/choices` : `${pointer}/children/0/choices`
    const question = String(membersOf(source.title)[code] ?? '')
    return (settingOf(source, 'choices') ?? []).flatMap(({ image }, index) =>
      isImage(image) && !isUploadedImage(image.url)
        ? [{ url: image.url, pointer: `${list}/${index}/image/url`, question, number: index + 1 }]
        : [],
    )
  })
}
