import { PolicyPack, type ResourceValidationPolicy, type StackValidationPolicy } from '@pulumi/policy';
import { message, type ResourceRule, type StackRule } from './rule.ts';
import { RESOURCE_RULES, STACK_RULES } from './rules.ts';

// What `pulumi preview --policy-pack <folder>` starts.

function resourcePolicy(rule: ResourceRule): ResourceValidationPolicy {
  const { name, description, level: enforcementLevel, checks } = rule;
  return {
    name,
    description,
    enforcementLevel,
    validateResource({ type, props, notApplicable }, report) {
      const check = checks[type];
      if (check === undefined) return notApplicable(`It is not about ${type}`);
      for (const problem of check(props)) report(message(rule, problem));
    },
  };
}

function stackPolicy(rule: StackRule): StackValidationPolicy {
  const { name, description, level: enforcementLevel } = rule;
  return {
    name,
    description,
    enforcementLevel,
    validateStack({ resources }, report) {
      const urns = new Map<unknown, string>();
      const seen = resources.map(({ type, name: called, props, urn, dependencies }) => {
        const after = dependencies.map((each) => `${each.type}::${each.name}`);
        const resource = { type, name: called, props, after };
        urns.set(resource, urn);
        return resource;
      });
      for (const { resource, problem } of rule.check(seen))
        report(message(rule, problem), urns.get(resource));
    },
  };
}

new PolicyPack('berth', {
  policies: [...RESOURCE_RULES.map(resourcePolicy), ...STACK_RULES.map(stackPolicy)],
});
