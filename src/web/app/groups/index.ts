import type Router from '@koa/router'
import type { PageResult, PageServices } from '../../page.ts'
import { type SignedInRequest, signedIn } from '../../session.ts'
import { askToDropGroup, changeName, dropGroup, makeGroup, showGroup, showGroups } from './list.ts'
import { dropMember, saveMember } from './members.ts'
import { share, unshare } from './sharing.ts'

/** Groups of people who work on surveys together. */
export function routeGroups(router: Router, deps: PageServices): void {
  const add = (
    method: 'get' | 'post',
    path: string,
    operation: string,
    page: (request: SignedInRequest) => Promise<PageResult>,
  ) => router[method](`/account/groups/${path}`, signedIn(deps, operation, 'groups', page))
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
