import * as domain from '../../domain/notification/subscription.ts'
import type { Operation } from './operation.ts'

export const getNotification: Operation<'getNotification'> = async ({ context, path }) => ({
  status: 200,
  body: { frequency: await domain.findNotification(context, path.survey_id) },
})

export const updateNotification: Operation<'updateNotification'> = async ({ context, path, body }) => ({
  status: 200,
  body: { frequency: await domain.setNotification(context, path.survey_id, body.frequency) },
})
