// The texts of rules on solutions, which come with the view that says them.
import { texts as english } from "../texts/en.js";
import { texts as german } from "../texts/de.js";
import { texts as rulesEnglish } from "../texts/rules-en.js";
import { texts as rulesGerman } from "../texts/rules-de.js";

Object.assign(english, rulesEnglish);
Object.assign(german, rulesGerman);
