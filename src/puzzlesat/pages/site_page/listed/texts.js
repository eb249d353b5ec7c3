// The texts of rules on solutions, loaded with the view that shows them.
import { texts as english } from "../texts/en.js";
import { texts as german } from "../texts/de.js";
import { texts as rulesEnglish } from "../texts/rules-en.js";
import { texts as rulesGerman } from "../texts/rules-de.js";

Object.assign(english, rulesEnglish);
Object.assign(german, rulesGerman);
