import '../infra/policy/pack.js';
