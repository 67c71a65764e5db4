import { FILE } from '../../session.ts'
import { saveSettings, showSettings } from '../settings/edit.ts'
import type { AddPage } from '../surveys/index.ts'
import { askToRestore, restoreStructure, showVersions } from '../versions/list.ts'
import { compareVersions, showVersion } from '../versions/show.ts'
import { checkText } from './check.ts'
import { saveStructure, showStructure } from './editor.ts'
import { showPreview } from './preview.ts'

/** The pages in which a survey is written. */
export function routeEdit(add: AddPage): void {
  add('get', 'edit/', 'showStructure', showStructure)
  add('post', 'edit/', 'saveStructure', saveStructure, FILE)
  add('post', 'edit/check/', 'checkStructure', checkText, FILE)
  add('get', 'edit/preview/', 'showPreview', showPreview)
  add('post', 'edit/preview/', 'showPreview', showPreview, FILE)
  add('get', 'edit/versions/', 'showVersions', showVersions)
  add('get', 'edit/versions/diff/', 'compareVersions', compareVersions)
  add('get', 'edit/versions/:version/', 'showVersion', showVersion)
  add('get', 'edit/versions/:version/restore/', 'askToRestore', askToRestore)
  add('post', 'edit/versions/:version/restore/', 'restoreStructure', restoreStructure)
  add('get', 'edit/settings/', 'showSettings', showSettings)
  add('post', 'edit/settings/', 'saveSettings', saveSettings, FILE)
}
