import type Router from '@koa/router'
import { type SignedIn, signedIn } from '../../session.ts'
import type { Answer, PageDeps } from '../../page.ts'
import { askToDropGroup, changeName, dropGroup, makeGroup, showGroup, showGroups } from './list.ts'
import { dropMember, saveMember } from './members.ts'
import { share, unshare } from './sharing.ts'

/** Groups of people who work on surveys together. */
export function routeGroups(router: Router, deps: PageDeps): void {
  const add = (method: 'get' | 'post', path: string, operation: string, page: (visit: SignedIn) => Promise<Answer>) =>
    router[method](`/account/groups/${path}`, signedIn(deps, operation, 'groups', page))
  add('get', '', 'showGroups', showGroups)
  add('post', '', 'makeGroup', makeGroup)
  add('get', ':group/', 'showGroup', showGroup)
  add('post', ':group/', 'renameGroupPage', changeName)
  add('get', ':group/delete/', 'askToDropGroup', askToDropGroup)
  add('post', ':group/delete/', 'dropGroup', dropGroup)
  add('post', ':group/members/', 'saveMember', saveMember)
  add('post', ':group/members/remove/', 'dropMember', dropMember)
  add('post', ':group/surveys/', 'shareWithGroup', share)
  add('post', ':group/surveys/remove/', 'unshareWithGroup', unshare)
}
