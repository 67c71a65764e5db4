import { findConfiguration, updateConfiguration } from '../../domain/survey/configure.ts'
import type { Operation } from './operation.ts'
import { settingsView } from './settings-view.ts'
import { isLive } from './views.ts'

export const getSettings: Operation<'getSettings'> = async ({ context, path }) => {
  return { status: 200, body: settingsView(await findConfiguration(context, path.survey_id)) }
}

export const updateSettings: Operation<'updateSettings'> = async ({ context, path, body: { live, ...change } }) => {
  const configuration = await updateConfiguration(context, path.survey_id, { ...change, live: isLive(live) })
  return { status: 200, body: settingsView(configuration) }
}
