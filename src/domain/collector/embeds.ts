import { defineEntity, p } from '@mikro-orm/core'
import { html } from '../../lib/html.ts'
import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize, visibleTo } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import { findSurvey } from '../survey/queries.ts'
import { SurveySchema } from '../survey/survey.ts'
import { surveyUrl } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import { CollectorSchema } from './collector.ts'
import { findCollector } from './queries.ts'

export const EMBED_KINDS = ['iframe', 'popup', 'link'] as const
export type EmbedKind = (typeof EMBED_KINDS)[number]

export const EmbedSchema = defineEntity({
  name: 'Embed',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade').nullable(),
    kind: p.text().$type<EmbedKind>(),
    createdAt: p.datetime(),
  },
})

/** A snippet that embeds a survey into another web page. */
export class Embed extends EmbedSchema.class {}
EmbedSchema.setClass(Embed)

const EMBED_OPTIONS = { populate: ['survey.owner', 'collector'], orderBy: { id: 'asc' } } as const

/**
 * Returns the embeds of one survey, oldest first, with their total number. Without a survey, returns the embeds of all
 * surveys that the actor may deploy.
 * @throws {Problem} `survey_not_found`, `forbidden`, if a survey is given
 */
export async function listEmbeds(
  context: Context,
  { offset, limit }: Slice,
  survey?: number,
): Promise<{ total: number; embeds: Embed[] }> {
  const { em, actor } = context
  if (survey !== undefined) await authorize(context, survey, 'Deploy')
  let visible = em
    .getKysely<Tables>()
    .selectFrom('embed')
    .innerJoin('survey', 'survey.id', 'embed.survey_id')
    .where(visibleTo(actor, 'Deploy'))
  if (survey !== undefined) visible = visible.where('embed.survey_id', '=', survey)
  const { total } = await visible.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await visible.select('embed.id').orderBy('embed.id').offset(offset).limit(limit).execute()
  const embeds = await em.find(Embed, { id: { $in: page.map(({ id }) => id) } }, EMBED_OPTIONS)
  return { total, embeds }
}

/**
 * Returns an embed with its survey.
 * @throws {Problem} `embed_not_found`, `forbidden`
 */
export async function findEmbed(context: Context, id: number): Promise<Embed> {
  const embed = await context.em.findOneOrFail(Embed, id, { ...EMBED_OPTIONS, failHandler: problems.embedNotFound })
  await authorize(context, embed.survey.id, 'Deploy', problems.embedNotFound)
  return embed
}

/**
 * Creates a snippet that embeds a survey into another web page.
 * @param draft.collector id of the collector that receives the responses; absent: the default collector
 * @throws {Problem} `survey_not_found`, `collector_not_found` (also for a collector of another survey)
 */
export async function createEmbed(
  context: Context,
  draft: { survey: number; kind: EmbedKind; collector?: number | undefined },
): Promise<Embed> {
  const { em, now } = context
  const embed = em.create(Embed, {
    ...(await findTarget(context, draft.survey, draft.collector)),
    kind: draft.kind,
    createdAt: now,
  })
  await em.flush()
  return findEmbed(context, embed.id)
}

/** A change of an embed. Absent members are not changed. */
interface EmbedChange {
  survey?: number | undefined
  kind?: EmbedKind | undefined
  /**
   * Null selects the default collector. If the survey changes and this member is absent, the default collector is
   * selected too.
   */
  collector?: number | null | undefined
}

/**
 * Changes an embed. Snippets that have been pasted into web pages do not change.
 * @throws {Problem} `embed_not_found`, and as {@link createEmbed}
 */
export async function updateEmbed(context: Context, id: number, change: EmbedChange): Promise<Embed> {
  const embed = await findEmbed(context, id)
  const currentCollector = change.survey === undefined || change.survey === embed.survey.id ? embed.collector?.id : null
  const { survey = embed.survey.id, kind = embed.kind, collector = currentCollector } = change
  const draft = await findTarget(context, survey, collector)
  context.em.assign(embed, { ...draft, kind })
  await context.em.flush()
  return findEmbed(context, id)
}

/**
 * Returns the survey and the collector of an embed.
 * @throws {Problem} as {@link createEmbed}
 */
async function findTarget(context: Context, surveyId: number, collectorId: number | null | undefined) {
  const survey = await findSurvey(context, surveyId, 'Deploy')
  const collector = collectorId == null ? null : await findCollector(context, collectorId)
  if (collector && collector.survey.id !== survey.id) throw problems.collectorNotFound()
  return { survey, collector }
}

/** Returns the URL of an embed and the HTML to paste. */
export function renderEmbed(embed: Embed, { baseUrl }: Services): { address: string; html: string } {
  const survey = embed.survey.unwrap()
  const { username } = survey.owner.unwrap()
  const address = surveyUrl(baseUrl, { username, slug: survey.slug }, embed.collector?.id)
  return { address, html: renderSnippet(embed.kind, { title: survey.name, address, baseUrl }) }
}

/**
 * Deletes an embed. Snippets that have been pasted into web pages continue to work.
 * @throws {Problem} `embed_not_found`, `forbidden`
 */
export async function deleteEmbed(context: Context, id: number): Promise<void> {
  context.em.remove(await findEmbed(context, id))
  await context.em.flush()
}

/** The variable parts of a snippet in plain text, which `renderSnippet` escapes. */
interface SnippetParts {
  title: string
  /** URL of the survey. */
  address: string
  /** The beginning of the URLs of scripts. */
  baseUrl: string
}

/** Path of the script that sets the height of each frame to the height of the survey in the frame. */
export const FRAME_SCRIPT = '/embed/frame.js'
/** Path of the script that opens popups. */
export const POPUP_SCRIPT = '/embed/popup.js'

/**
 * Height of a frame if its script does not run. A page with a few questions fits into it; longer pages scroll inside
 * the frame.
 */
const FRAME_HEIGHT_PX = 720

const snippets: Readonly<Record<EmbedKind, (parts: SnippetParts) => unknown>> = {
  iframe: ({ title, address, baseUrl }) =>
    html`<iframe data-canvass-frame src="${address}" title="${title}" width="100%" height="${FRAME_HEIGHT_PX}" style="border:0" loading="lazy"></iframe><script src="${baseUrl}${FRAME_SCRIPT}" async></script>`,
  popup: ({ title, address, baseUrl }) =>
    html`<button type="button" data-canvass-survey="${address}" data-canvass-title="${title}">${title}</button><script src="${baseUrl}${POPUP_SCRIPT}" async></script>`,
  link: ({ title, address }) => html`<a href="${address}">${title}</a>`,
}

/** Returns the HTML that embeds a survey into another web page. */
const renderSnippet = (kind: EmbedKind, parts: SnippetParts): string => String(snippets[kind](parts))
