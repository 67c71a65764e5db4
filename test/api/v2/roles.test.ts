import { v2 } from '../../../src/api/v2/index.ts'
import { describeRoles } from '../roles/describe-roles.ts'
import { rules } from './role-rules.ts'

describeRoles('v2', v2, rules)
