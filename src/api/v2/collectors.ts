import * as commands from '../../domain/collector/commands.ts'
import * as queries from '../../domain/collector/queries.ts'
import type { Operation } from './operation.ts'
import { collectorView } from './views.ts'

export const listCollectors: Operation<'listCollectors'> = async ({ context, path }) => {
  const { total, collectors } = await queries.listCollectors(context, path.survey_id)
  return { status: 200, body: { total, collectors: collectors.map((one) => collectorView(context.services, one)) } }
}

export const createCollector: Operation<'createCollector'> = async ({ context, path, query, body }) => {
  const name = query.name ?? body.name ?? ''
  const { id } = await commands.createCollector(context, { survey: path.survey_id, name })
  return {
    status: 200,
    body: { collector: collectorView(context.services, await queries.summariseCollector(context, id)) },
  }
}

export const deleteCollector: Operation<'deleteCollector'> = async ({ context, path, query, body }) => {
  await commands.deleteCollectorOf(context, path.survey_id, query.id ?? body.id)
  return { status: 200, body: { success: true } }
}
