/** The account that makes a request. A plain value, never a managed entity, because requests share it through a cache. */
export interface Actor {
  id: number
  username: string
  email: string
  name: string
  isDeveloper: boolean
}
