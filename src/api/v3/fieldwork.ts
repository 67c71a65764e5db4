import { type FieldworkBoard, fieldworkBoard, type Target } from '../../domain/report/fieldwork/board.ts'
import type { InvitationOutcomes } from '../../domain/report/fieldwork/invitation-outcomes.ts'
import { round } from '../../domain/report/question-stats.ts'
import type { Services } from '../../domain/services.ts'
import { findSnapshot } from '../../domain/survey/queries.ts'
import type { Operation, Schemas } from './operation.ts'
import { collectorUri, surveyUri } from './urls.ts'
import { liveView, type TextFormat, textFormatOf } from './views.ts'

export const getFieldwork: Operation<'getFieldwork'> = async ({ context, path, query }) => {
  const snapshot = await findSnapshot(context, path.survey_id, 'Report')
  const board = await fieldworkBoard(context, snapshot)
  const format = textFormatOf(query.language, snapshot.questionnaire)
  return { status: 200, body: fieldworkView(context.services, path.survey_id, board, format) }
}

const fieldworkView = (
  services: Services,
  surveyId: number,
  { responses, withdrawn, completionRate, medianSeconds, responseLimit, pace, closing, ...board }: FieldworkBoard,
  format: TextFormat,
): Schemas['Fieldwork'] => ({
  survey_uri: surveyUri(services, surveyId),
  responses,
  withdrawn,
  completion_rate: completionRate,
  median_completion_seconds: medianSeconds,
  response_limit: responseLimit && targetView(responseLimit),
  quotas: board.quotas.map(({ name, action, ...target }) => ({ name, action, ...targetView(target) })),
  invitations: outcomesView(board.invitations),
  collectors: board.collectors.map(({ id, name, live, isDefault, responses, completionRate, invitations }) => ({
    id,
    name,
    live: liveView(live),
    is_default: isDefault,
    collector_uri: collectorUri(services, id),
    responses,
    completion_rate: completionRate,
    invitations: outcomesView(invitations),
  })),
  contact_lists: board.contactLists.map(({ list, outcomes }) => ({
    id: list?.id ?? null,
    name: list?.name ?? null,
    invitations: outcomesView(outcomes),
  })),
  pages: board.pages.map(({ number, title, submitted, stopped }) => ({
    number,
    title: format(title),
    submitted,
    stopped,
  })),
  pace: pace && {
    days: pace.days,
    complete: pace.complete,
    per_day: round(pace.perDay, 2),
    dispersion: round(pace.dispersion, 2),
  },
  closing: closing && {
    reason: closing.reason,
    date: closing.date,
    earliest: closing.earliest,
    latest: closing.latest,
    complete: closing.complete,
  },
})

const targetView = ({ target, count, forecast }: Target): Schemas['FieldworkTarget'] => ({
  target,
  count,
  left: Math.max(0, target - count),
  forecast: forecast && { date: forecast.date, earliest: forecast.earliest, latest: forecast.latest },
})

const outcomesView = ({
  responseRate,
  responseRateWithPartial,
  ...steps
}: InvitationOutcomes): Schemas['InvitationOutcomes'] => ({
  invited: steps.invited,
  accepted: steps.accepted,
  opened: steps.opened,
  started: steps.started,
  complete: steps.complete,
  terminated: steps.terminated,
  response_rate: responseRate,
  response_rate_with_partial: responseRateWithPartial,
})
