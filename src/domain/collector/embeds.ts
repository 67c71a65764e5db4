import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize, visibleTo } from '../group/access.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import { findSurvey } from '../survey/queries.ts'
import { surveyUrl } from '../survey-address.ts'
import type { Tables } from '../tables.ts'
import { Embed, type EmbedKind } from './embed.ts'
import { findCollector } from './queries.ts'
import { renderSnippet } from './snippet.ts'

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
export interface EmbedChange {
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
